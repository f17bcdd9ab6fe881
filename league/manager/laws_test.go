package manager_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"sync"
	"time"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// Laws are invariants of every league, whatever faults occurred. Some of them need more data than the log: the messages
// to each agent, and the injected faults.
type laws struct {
	*world
	lossy bool // messages were lost at random: any silence may be the network's

	mu    sync.Mutex
	heard map[string]map[string]string // by player and match: the content of GAME_OVER, by attempt and sender
}

// watchLaws listens from the start of the league.
func (w *world) watchLaws(f rpctest.Faults) *laws {
	l := &laws{world: w, lossy: f.Loss > 0, heard: map[string]map[string]string{}}
	w.tap = l.hear
	return l
}

// checkLaws checks the invariants that follow from the log alone.
func (w *world) checkLaws() { (&laws{world: w, lossy: true}).check() }

func (l *laws) check() {
	s := l.state()
	l.eachMatchIsRecordedOnce(s)
	l.tableFollowsFromTheLog(s)
	l.drawsFollowFromTheSecret(s)
	l.logHasOneOwnerAtATime()
	l.forfeitsHaveACause(s)
	l.nobodyHearsTwoResults(s)
	l.playersKnowWhatCounts(s)
	l.checkRecords()
}

// hear stores the ends of matches that players receive, and checks the messages to referees.
func (l *laws) hear(request, answer []byte) {
	l.acknowledged(answer)
	var r struct {
		Params struct {
			MessageType string `json:"message_type"`
			Sender      string `json:"sender"`
			MatchID     string `json:"match_id"`
			PlayerID    string `json:"player_id"`
			Attempt     int    `json:"attempt"`
			Result      string `json:"result"`
			Winner      any    `json:"winner"`
			Drawn       any    `json:"drawn_number"`
		} `json:"params"`
	}
	if json.Unmarshal(request, &r) != nil || r.Params.MessageType != "GAME_OVER" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p := r.Params
	who := p.PlayerID + " " + p.MatchID
	if l.heard[who] == nil {
		l.heard[who] = map[string]string{}
	}
	said, by := fmt.Sprint(p.Result, " winner ", p.Winner, " drawn ", p.Drawn), fmt.Sprint("attempt ", p.Attempt)
	if before, ok := l.heard[who][by]; ok && before != said {
		l.t.Errorf("%s, %s: told %q, and %q by %s", who, by, before, said, p.Sender)
	}
	l.heard[who][by] = said
}

// acknowledged checks that a result is in the log when its referee receives the acknowledgement. A forfeit that a guest
// reports is first checked by another referee, whose result the log then has.
func (l *laws) acknowledged(answer []byte) {
	var r struct {
		Result struct {
			MessageType protocol.Type `json:"message_type"`
			MatchID     string        `json:"match_id"`
		} `json:"result"`
	}
	if !bytes.Contains(answer, []byte(protocol.TypeMatchResultAck)) || json.Unmarshal(answer, &r) != nil ||
		r.Result.MessageType != protocol.TypeMatchResultAck {
		return
	}
	result := []byte(`"kind":"ResultRecorded"`)
	match := fmt.Appendf(nil, `"event":{"match":%q,"attempt"`, r.Result.MatchID)
	assigned := regexp.MustCompile(fmt.Sprintf(`"event":\{"match":%q,"referee":"(REF\d+)"`, r.Result.MatchID))
	guest := false
	for _, e := range l.disk.Entries(leagueID) {
		if bytes.Contains(e.Data, result) && bytes.Contains(e.Data, match) {
			return
		}
		for _, to := range assigned.FindAllSubmatch(e.Data, -1) {
			if guest {
				return
			}
			guest = l.masked[string(to[1])]
		}
	}
	l.t.Errorf("the result of %s is acknowledged, and the log does not have it", r.Result.MatchID)
}

// eachMatchIsRecordedOnce counts results in the log itself, and not by the fold that would refuse a second one.
func (l *laws) eachMatchIsRecordedOnce(s *league.State) {
	if !s.Completed() || s.Recorded != s.TotalMatches() {
		l.t.Errorf("completed %v with %d of %d matches", s.Completed(), s.Recorded, s.TotalMatches())
	}
	times := map[string]int{}
	for r := range l.results() {
		times[r.Match]++
	}
	for round := 1; round <= s.Schedule.Rounds(); round++ {
		for n := range s.Schedule.Round(round) {
			if id := protocol.MatchID(round, n+1); times[id] != 1 {
				l.t.Errorf("%s is recorded %d times", id, times[id])
			}
		}
	}
}

// events yields the events of the log and the sequence of the entry that each is in.
func (w *world) events() func(yield func(league.Event, uint64) bool) {
	return func(yield func(league.Event, uint64) bool) {
		for _, e := range w.disk.Entries(leagueID) {
			_, events, err := league.DecodeBatch(e.Data)
			if err != nil {
				w.t.Fatal(err)
			}
			for _, event := range events {
				if !yield(event, e.Seq) {
					return
				}
			}
		}
	}
}

// results yields the results of the log that were not annulled after it.
func (w *world) results() func(yield func(league.ResultRecorded) bool) {
	struck := map[string]uint64{} // the entry in which each match was annulled last
	for e, seq := range w.events() {
		if a, ok := e.(league.Annulled); ok {
			struck[a.Match] = seq
		}
	}
	return func(yield func(league.ResultRecorded) bool) {
		for e, seq := range w.events() {
			if r, ok := e.(league.ResultRecorded); ok && seq > struck[r.Match] && !yield(r) {
				return
			}
		}
	}
}

// tableFollowsFromTheLog compares the manager's table with the fold of its log, and with an independent sum.
func (l *laws) tableFollowsFromTheLog(s *league.State) {
	table := s.Standings()
	l.world.mu.Lock()
	m := l.manager
	l.world.mu.Unlock()
	if m != nil {
		m.Read(func(live *league.State) {
			if shown := live.Standings(); !reflect.DeepEqual(shown, table) {
				l.t.Errorf("the manager shows %+v, and its log says %+v", shown, table)
			}
		})
	}
	points := map[string]int{}
	for r := range l.results() {
		switch a, b := s.Matches[r.Match].A, s.Matches[r.Match].B; {
		case r.Result.Winner != "":
			points[r.Result.Winner] += 3
		case r.Result.Status == protocol.Draw:
			points[a], points[b] = points[a]+1, points[b]+1
		}
	}
	played := 0
	for _, row := range table {
		played += row.Played
		if row.Wins+row.Draws+row.Losses != row.Played || row.Points != 3*row.Wins+row.Draws ||
			row.Points != points[row.PlayerID] {
			l.t.Errorf("row does not add up: %+v, want %d points", row, points[row.PlayerID])
		}
	}
	if played != 2*s.Recorded {
		l.t.Errorf("sum of played = %d, want twice %d", played, s.Recorded)
	}
}

func (l *laws) drawsFollowFromTheSecret(s *league.State) {
	secret := unhex(l.t, s.DrawSecret)
	if protocol.DrawCommitment(leagueID, secret) != s.Created.DrawCommitment {
		l.t.Error("the revealed secret is not the one that was promised")
	}
	for id, m := range s.Matches {
		if m.Outcome == nil || m.Outcome.Attempt == 0 {
			continue
		}
		key := protocol.DrawKey(secret, leagueID, m.DrawName(), s.Agents[m.A].Nonce, s.Agents[m.B].Nonce)
		got, native := m.Outcome.DrawKey, s.Agents[m.Outcome.Referee].Native()
		if native && got != fmt.Sprintf("%x", key) || !native && got != "" {
			// a foreign referee draws by its own rules, and proves nothing
			l.t.Errorf("%s: draw key %q does not follow from the secret", id, got)
		}
		if native && m.Outcome.Result.Status != protocol.TechnicalLoss && s.Agents[m.A].Native() && s.Agents[m.B].Native() &&
			m.Proof != league.Proven {
			l.t.Errorf("%s is %s, want proven", id, m.Proof)
		}
	}
}

// logHasOneOwnerAtATime checks that no manager writes after another has taken the log over.
func (l *laws) logHasOneOwnerAtATime() {
	owner := 0
	epoch := map[uint64]bool{}
	for e, seq := range l.events() {
		if _, ok := e.(league.Epoch); ok {
			epoch[seq] = true
		}
	}
	for seq := range uint64(len(l.disk.Entries(leagueID))) {
		by := l.writers[seq+1]
		switch {
		case by == 0: // its manager is not one of bootManager's
		case epoch[seq+1] && by < owner:
			l.t.Errorf("entry %d: manager %d takes over from manager %d, which came later", seq+1, by, owner)
		case epoch[seq+1]:
			owner = by
		case by != owner:
			l.t.Errorf("entry %d is by manager %d, and the log is manager %d's", seq+1, by, owner)
		}
	}
}

// forfeitsHaveACause checks that the record of a forfeit has the failed tries, and that a fault was injected into the
// player that forfeited.
func (l *laws) forfeitsHaveACause(s *league.State) {
	for _, id := range slices.Sorted(maps.Keys(s.Matches)) {
		m := s.Matches[id]
		if m.Outcome == nil {
			continue
		}
		for player, code := range m.Outcome.Result.Forfeits {
			switch {
			case m.Outcome.Attempt == 0 && code == protocol.AgentShutdown:
				if s.Agents[player].State != protocol.AgentShutdown {
					l.t.Errorf("%s: %s lost because it had left, and it has not", id, player)
				}
			case m.Outcome.Attempt == 0:
				l.t.Errorf("%s was never played, and %s forfeited it by %q", id, player, code)
			default:
				l.isBlamedRightly(m, player, code)
			}
		}
	}
}

func (l *laws) isBlamedRightly(m *league.Match, player, code string) {
	out := m.Outcome
	if l.recorders[out.Referee] == nil {
		return
	}
	doc, err := l.recorders[out.Referee].Document(l.ctx, protocol.RecordRef{
		LeagueID: leagueID, MatchID: m.ID, Attempt: out.Attempt,
	})
	if err != nil {
		l.t.Errorf("%s: the record of %s: %v", m.ID, out.Referee, err)
		return
	}
	rec, err := protocol.ParseRecord(doc)
	if err != nil || protocol.RecordHash(doc) != out.RecordSHA256 {
		l.t.Errorf("%s: the record of %s is not the one that was reported: %v", m.ID, out.Referee, err)
		return
	}
	if !blamed(rec, player, code) {
		l.t.Errorf("%s: %s forfeited by %q, and nothing in the record shows it", m.ID, player, code)
	}
	from, to := when(rec.Lifecycle.CreatedAt), when(rec.Lifecycle.CompletedAt)
	if !l.lossy && !l.wounded(from, to, player) {
		l.t.Errorf("%s: %s forfeited by %q from %v to %v, and nothing was wrong with it", m.ID, player, code, from, to)
	}
}

// blamed reports whether a transcript has the error to a player that caused its forfeit.
func blamed(rec protocol.MatchRecord, player, code string) bool {
	return slices.ContainsFunc(rec.Transcript, func(e protocol.TranscriptEntry) bool {
		var m struct {
			ErrorCode   string `json:"error_code"`
			Consequence string `json:"consequence"`
		}
		return e.MessageType == protocol.TypeGameError && e.To == protocol.Sender(protocol.RolePlayer, player) &&
			json.Unmarshal(e.Message, &m) == nil && m.ErrorCode == code && m.Consequence == protocol.TechnicalLoss
	})
}

func when(stamp string) time.Time {
	at, _, _ := protocol.ParseTime(stamp)
	return at
}

// nobodyHearsTwoResults checks that players receive the result of one attempt only, unless its referee was killed or
// disconnected and the match was reassigned. That an attempt has a single result is checked on receipt.
func (l *laws) nobodyHearsTwoResults(s *league.State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for who, attempts := range l.heard {
		var player, match string
		_, _ = fmt.Sscan(who, &player, &match)
		m := s.Matches[match]
		if len(attempts) > len(m.Assigned) && len(attempts) > 1 {
			l.t.Errorf("%s hears of %d attempts at %s, and %d were assigned", player, len(attempts), match, len(m.Assigned))
		}
		if len(attempts) < 2 || l.lossy {
			continue
		}
		first := m.Assigned[0].Referee
		if !l.wounded(time.Time{}, time.Now(), first) {
			l.t.Errorf("%s hears %v of %s, and nothing was wrong with %s", player, attempts, match, first)
		}
	}
}

// playersKnowWhatCounts checks that a player's history of the counted attempt equals the log.
func (l *laws) playersKnowWhatCounts(s *league.State) {
	for id, history := range l.memories {
		seen := map[string]bool{}
		for _, h := range history.Matches {
			if seen[h.MatchID] {
				l.t.Errorf("%s remembers %s twice", id, h.MatchID)
			}
			seen[h.MatchID] = true
			m := s.Matches[h.MatchID]
			if m == nil || m.Outcome == nil || m.Outcome.Attempt != h.Attempt {
				continue
			}
			if want := resultFor(m.Outcome.Result, id); h.Result != want {
				l.t.Errorf("%s remembers %s of %s, and the log has %s", id, h.Result, h.MatchID, want)
			}
		}
	}
}

// resultFor is a result as one of its players sees it.
func resultFor(r league.Result, player string) string {
	_, forfeited := r.Forfeits[player]
	switch {
	case forfeited:
		return protocol.TechnicalLoss
	case r.Winner == player:
		return protocol.Win
	case r.Status == protocol.Draw:
		return protocol.Draw
	}
	return protocol.Loss
}
