package manager

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// collectEvery is how often records are fetched, and collectAgain how often
// while they cannot be kept.
const (
	collectEvery = 200 * time.Millisecond
	collectAgain = 2 * time.Second
)

const unkept = "a match record could not be kept"

// collect fetches the records of counted matches from the referees that made
// them, checks their hash and keeps them.
func (m *Manager) collect() {
	for m.Node.Sleep(m.ctx, "collect", m.collectPause()) == nil {
		if m.full() != "" {
			continue
		}
		wanted := m.wanted()
		for _, referee := range slices.Sorted(maps.Keys(wanted)) {
			if refs := m.adopt(referee, wanted[referee]); len(refs) > 0 {
				m.fetch(referee, refs[:min(len(refs), protocol.MaxRecords)])
			}
		}
	}
}

func (m *Manager) collectPause() time.Duration {
	if m.troubled(unkept) {
		return collectAgain
	}
	return collectEvery
}

// Settle waits until the record of every counted match is kept, or ctx or the
// manager ends, and returns how many are not.
func (m *Manager) Settle(ctx context.Context) (missing int) {
	for m.opts.Records != nil {
		var counted, kept int
		m.Read(func(s *league.State) { counted = s.Recorded })
		m.locked(func(v *volatile) { kept = len(v.records) })
		missing = max(counted-kept, 0)
		if missing == 0 || m.full() != "" || m.ctx.Err() != nil || m.Node.Sleep(ctx, "settle", 50*time.Millisecond) != nil {
			break
		}
	}
	return missing
}

// wanted lists the records that are not kept, by the referee that has them.
// What nobody has a record of is written down as the manager saw it.
func (m *Manager) wanted() map[string][]protocol.RecordRef {
	out := map[string][]protocol.RecordRef{}
	var own []protocol.MatchRecord
	m.Read(func(s *league.State) {
		whole := true // so far
		for round := m.wholeRounds() + 1; round <= s.Round; round++ {
			for _, match := range s.InRound(round) {
				if match.Outcome != nil && m.hasRecord(match) {
					continue
				}
				if whole = false; match.Outcome == nil {
					continue
				}
				by := match.Outcome.Referee
				if match.Outcome.RecordSHA256 == "" {
					own = append(own, s.OwnRecord(match))
				} else if m.opts.Adopt != nil || len(out[by]) < protocol.MaxRecords {
					out[by] = append(out[by], protocol.RecordRef{LeagueID: s.Created.LeagueID, MatchID: match.ID, Attempt: match.Outcome.Attempt})
				}
			}
			if whole {
				m.locked(func(v *volatile) { v.whole = round })
			}
		}
	})
	for _, rec := range own {
		if doc, _, err := rec.Document(); err == nil {
			m.keep(rec.MatchID, doc)
		}
	}
	return out
}

// hasRecord reports whether a match's record is kept.
func (m *Manager) hasRecord(match *league.Match) (yes bool) {
	m.locked(func(v *volatile) { yes = v.records[match.ID] })
	if !yes && m.opts.Records.Has(match.ID, match.Outcome.RecordSHA256) {
		m.settled(match.ID)
		return true
	}
	return yes
}

// wholeRounds returns up to which round every record is kept.
func (m *Manager) wholeRounds() (round int) {
	m.locked(func(v *volatile) { round = v.whole })
	return round
}

func (m *Manager) settled(match string) {
	m.locked(func(v *volatile) { v.records[match] = true })
}

func (m *Manager) keep(match string, doc []byte) {
	err := m.opts.Records.Store(match, doc)
	if m.trouble(unkept, err); err == nil {
		m.settled(match)
	}
}

// fetch asks a referee for records. What it does not answer is asked for again.
func (m *Manager) fetch(referee string, refs []protocol.RecordRef) {
	ctx, cancel := context.WithTimeout(m.ctx, 5*time.Second)
	defer cancel()
	reply, err := m.call(ctx, referee, &protocol.GetMatchRecords{
		Envelope: protocol.Envelope{MessageType: protocol.TypeGetMatchRecords, ConversationID: "conv-records-" + referee, LeagueID: m.opts.LeagueID},
		Records:  refs,
	})
	records, ok := reply.(*protocol.MatchRecords)
	if err != nil || !ok {
		return
	}
	for _, doc := range records.Records {
		if m.recordHash(doc.RecordRef) == protocol.RecordHash([]byte(doc.Document)) {
			m.keep(doc.MatchID, []byte(doc.Document))
			continue
		}
		m.warn("a referee's record is not the one that it reported", slog.String("match_id", doc.MatchID), slog.String("referee_id", referee))
		m.settled(doc.MatchID)
	}
}

// adopt keeps what can be had without asking, and returns the rest.
func (m *Manager) adopt(referee string, refs []protocol.RecordRef) []protocol.RecordRef {
	if m.opts.Adopt == nil {
		return refs
	}
	return slices.DeleteFunc(refs, func(ref protocol.RecordRef) bool {
		hash := m.recordHash(ref)
		if hash == "" || !m.opts.Adopt(referee, ref, hash) {
			return false
		}
		m.settled(ref.MatchID)
		return true
	})
}

// recordHash is the hash that a match's report named.
func (m *Manager) recordHash(ref protocol.RecordRef) (hash string) {
	m.Read(func(s *league.State) {
		if match := s.Matches[ref.MatchID]; match != nil && match.Outcome != nil && match.Outcome.Attempt == ref.Attempt {
			hash = match.Outcome.RecordSHA256
		}
	})
	return hash
}
