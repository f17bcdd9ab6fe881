package manager

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// maxRecord is the maximum size of a record in bytes. The longest possible record of the built-in games has less than
// half of that.
const maxRecord = 16 << 20

// fetch requests records from a referee in a single call, so that a slow referee does not delay the others for long.
// Records that are missing in the answer, and the rest of a truncated one, are requested in the next round of collect.
func (c *collector) fetch(referee string, refs []protocol.RecordRef) {
	begun := c.begun[referee]
	if delete(c.begun, referee); slices.Contains(refs, begun.RecordRef) {
		refs = []protocol.RecordRef{begun.RecordRef}
	} else {
		begun = protocol.RecordDocument{}
	}
	records, err := c.ask(referee, refs, len(begun.Document))
	if err == nil && len(records) == 0 {
		err = errors.New("the referee does not have them")
	}
	if c.recordCall(referee, len(refs), err); err != nil {
		return
	}
	for _, doc := range records {
		if begun.Size > 0 {
			if doc.RecordRef != begun.RecordRef || doc.Size != begun.Size {
				return // it is asked for from its beginning
			}
			doc.Document = begun.Document + doc.Document
		}
		c.storeFetched(referee, doc, len(begun.Document))
	}
}

// storeFetched stores a complete record. It remembers an incomplete record for the next fetch, unless doc has no more
// than the had bytes that had arrived before.
func (c *collector) storeFetched(referee string, doc protocol.RecordDocument, had int) {
	wrong := "a referee's record is not the one that it reported"
	switch {
	case doc.Size > maxRecord:
		wrong = fmt.Sprintf("a referee's record is larger than %d bytes", maxRecord)
	case len(doc.Document) < doc.Size:
		if len(doc.Document) > had {
			c.begun[referee] = doc
		}
		return
	case c.recordHash(doc.RecordRef) == protocol.RecordHash([]byte(doc.Document)):
		c.keep(doc.MatchID, []byte(doc.Document))
		delete(c.damaged, doc.MatchID)
		return
	}
	c.warn(wrong, slog.String("match_id", doc.MatchID), slog.String("referee_id", referee))
	c.markSettled(doc.MatchID)
}

// A backoff counts the consecutive failed calls to a referee, and the rounds of collect until the next call.
type backoff struct{ failures, rounds int }

const (
	longestBackoff = int(30 * time.Second / collectEvery)
	failuresToWarn = 4 // about 4 s
)

// isDelayed reports whether the backoff excludes a referee from this round of collect, and counts the round.
func (c *collector) isDelayed(referee string) bool {
	b := c.failing[referee]
	if b == nil || b.rounds == 0 {
		return false
	}
	b.rounds--
	return true
}

// recordCall records whether a call for records succeeded. After failures the next calls are delayed by a backoff, and
// the organizer is warned once.
func (c *collector) recordCall(referee string, missing int, err error) {
	what := "match records of " + referee + " cannot be fetched"
	b := c.failing[referee]
	if err == nil {
		if b != nil {
			delete(c.failing, referee)
			c.trouble(what, nil)
			c.warnings.Clear(what)
		}
		return
	}
	if b == nil {
		b = &backoff{}
		c.failing[referee] = b
	}
	b.failures++
	if b.rounds = min(1<<min(b.failures, 10), longestBackoff); b.failures >= failuresToWarn {
		c.trouble(what, err)
		c.warnings.Add(what, fmt.Sprintf("%d %s: %v; the league is not settled without them: run the referee again with its root",
			missing, what, err), "")
	}
}

// ask requests records from a referee in one call. offset is the first byte to return, and is used only for a single
// record.
func (c *collector) ask(referee string, refs []protocol.RecordRef, offset int) ([]protocol.RecordDocument, error) {
	ctx, cancel := context.WithTimeout(c.ctx, 5*time.Second)
	defer cancel()
	reply, err := c.calls.call(ctx, referee, &protocol.GetMatchRecords{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeGetMatchRecords, ConversationID: "conv-records-" + referee, LeagueID: c.opts.LeagueID,
		},
		Records: refs, Offset: offset,
	})
	if err != nil {
		return nil, err
	}
	records, ok := reply.(*protocol.MatchRecords)
	if !ok {
		return nil, protocol.Errorf(protocol.InvalidMessage, "%s: want MATCH_RECORDS", referee)
	}
	return records.Records, nil
}

// recordHash returns the reported hash of a match's record, or "" if the result with that record does not count any
// more.
func (c *collector) recordHash(ref protocol.RecordRef) (hash string) {
	c.Read(func(s *league.State) { hash = reportedHash(s, ref) })
	return hash
}

// recordHashes lists the records of results that count, and their reported hashes.
func (c *collector) recordHashes(refs []protocol.RecordRef) (counted []protocol.RecordRef, hashes []string) {
	counted, hashes = make([]protocol.RecordRef, 0, len(refs)), make([]string, 0, len(refs))
	c.Read(func(s *league.State) {
		for _, ref := range refs {
			if hash := reportedHash(s, ref); hash != "" {
				counted, hashes = append(counted, ref), append(hashes, hash)
			}
		}
	})
	return counted, hashes
}

// reportedHash returns the hash with which the referee reported a record, or "" if the result with that record does not
// count.
func reportedHash(s *league.State, ref protocol.RecordRef) string {
	match := s.Matches[ref.MatchID]
	if match == nil || match.Outcome == nil || match.Outcome.Attempt != ref.Attempt {
		return ""
	}
	return match.Outcome.RecordSHA256
}
