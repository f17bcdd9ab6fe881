package manager

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"agentleague/league"
	"agentleague/league/warnings"
	"agentleague/protocol"
)

// Intervals at which missing records are fetched: the usual one, and the one while records cannot be stored.
const (
	collectEvery = 200 * time.Millisecond
	collectAgain = 2 * time.Second
)

// recordFailure is the log message for a failure to store records; which core.trouble logs.
const recordFailure = "a match record could not be saved"

// A collector fetches the records of counted matches from their referees and stores them.
type collector struct {
	*core
	*ledger
	calls    *caller
	warnings *warnings.List

	// used only by the goroutine of collect
	begun   map[string]protocol.RecordDocument // by referee, a record of which the rest is to be fetched
	failing map[string]*backoff                // by referee, after a failed call
	damaged map[string]bool                    // matches whose stored record is damaged
	reread  time.Time                          // the earliest time to read the log back

	mu    sync.Mutex
	kept  map[string]bool // matches whose record is stored, or never will be
	whole int             // all records of the rounds up to this are kept
}

// newCollector returns a collector. It determines the missing records from the log and the stored records.
func newCollector(c *core, l *ledger, calls *caller, w *warnings.List) *collector {
	return &collector{core: c, ledger: l, calls: calls, warnings: w, kept: map[string]bool{},
		begun: map[string]protocol.RecordDocument{}, failing: map[string]*backoff{}, damaged: map[string]bool{}}
}

// collect fetches the missing records of counted matches, verifies their hashes and stores them. It has no timer while
// none is missing. It ends when the league is over and all records are stored.
func (c *collector) collect() {
	for !c.isComplete() && c.awaitResult() && c.Node.Sleep(c.ctx, "collect", c.collectPause()) == nil {
		if c.pauseReason() != "" {
			continue
		}
		wanted := c.missingRecords()
		for _, referee := range slices.Sorted(maps.Keys(wanted)) {
			if refs := c.adopt(referee, wanted[referee]); len(refs) > 0 && !c.isDelayed(referee) {
				c.fetch(referee, refs[:min(len(refs), protocol.MaxRecords)])
			}
		}
	}
}

// awaitResult waits until a record is missing or the league is over. It returns false if the manager ends first.
func (c *collector) awaitResult() bool {
	for {
		changed := c.Changed()
		kept, wait := c.settledCount(), false
		c.Read(func(s *league.State) { wait = s.Recorded <= kept && !s.Completed() })
		if !wait {
			return true
		}
		select {
		case <-changed:
		case <-c.ctx.Done():
			return false
		}
	}
}

// isComplete reports whether the league is over and each of its records is stored or known to be unobtainable.
func (c *collector) isComplete() (yes bool) {
	whole := c.wholeRounds()
	c.Read(func(s *league.State) { yes = s.Completed() && whole >= s.Round })
	return yes
}

// collectPause returns the delay before records are requested again; longer while they cannot be saved.
func (c *collector) collectPause() time.Duration {
	if c.troubled(recordFailure) {
		return collectAgain
	}
	return collectEvery
}

// Settle waits until the record of every counted match is stored or known to be unobtainable, until the disk is full,
// or until ctx or the manager ends. It returns the number of records that are still missing.
func (c *collector) Settle(ctx context.Context) (missing int) {
	for c.opts.Records != nil {
		var counted int
		c.Read(func(s *league.State) { counted = s.Recorded })
		missing = max(counted-c.settledCount(), 0)
		if missing == 0 || c.pauseReason() != "" || c.ctx.Err() != nil ||
			c.Node.Sleep(ctx, "settle", 50*time.Millisecond) != nil {
			break
		}
	}
	return missing
}

// missingRecords lists the missing records by referee. A match that was decided without a referee gets a record made
// from the manager's log.
func (c *collector) missingRecords() map[string][]protocol.RecordRef {
	out := map[string][]protocol.RecordRef{}
	var own []protocol.MatchRecord
	var closed []storedRecord
	c.Read(func(s *league.State) {
		whole := true // so far
		for round := c.wholeRounds() + 1; round <= s.Round; round++ {
			for _, match := range s.InRound(round) {
				if match.Outcome != nil && c.hasRecord(match) {
					continue
				}
				if match.Outcome == nil && s.Completed() {
					continue // a cancelled league
				}
				if whole = false; match.Outcome == nil {
					continue
				}
				by := match.Outcome.Referee
				if match.Outcome.RecordSHA256 == "" {
					own = append(own, s.RecordFromLog(match))
				} else if c.opts.Adopt != nil || len(out[by]) < protocol.MaxRecords {
					out[by] = append(out[by], protocol.RecordRef{LeagueID: s.Created.LeagueID, MatchID: match.ID,
						Attempt: match.Outcome.Attempt})
				}
			}
			if whole {
				c.setWhole(round)
				for _, match := range s.InRound(round) {
					if match.Outcome != nil {
						closed = append(closed, storedRecord{match.ID, match.Outcome.RecordSHA256})
					}
				}
			}
		}
	})
	if len(closed) > 0 {
		c.readBack(closed)
	}
	for _, rec := range own {
		if doc, _, err := rec.Line(); err == nil {
			c.keep(rec.MatchID, doc)
		}
	}
	return out
}

// A storedRecord is the id of a match with a stored record, and the hash of the record that the referee reported.
type storedRecord struct{ match, hash string }

// readBack verifies the stored records of closed rounds, and the log, against damage on the disk. Reading the log is
// limited to about a fiftieth of the time. A damaged record is fetched again from its referee.
func (c *collector) readBack(closed []storedRecord) {
	for _, r := range closed {
		if !c.isSettled(r.match) || c.opts.Records.Has(r.match, r.hash) {
			continue
		}
		if !c.damaged[r.match] {
			c.warn("a stored match record is damaged; it is fetched from its referee again", slog.String("match_id", r.match))
		}
		c.damaged[r.match] = true
		c.markMissing(r.match)
	}
	begin := time.Now()
	if begin.Before(c.reread) {
		return
	}
	var err error
	for _, err = range c.log.Read(c.ctx, c.opts.LeagueID, 1) {
		if err != nil && c.ctx.Err() == nil {
			c.trouble("the log of the league cannot be read back as it was written", err)
		}
	}
	if err == nil {
		c.trouble("the log of the league cannot be read back as it was written", nil)
	}
	c.reread = time.Now().Add(50 * time.Since(begin))
}

// hasRecord reports whether the record of a match is stored.
func (c *collector) hasRecord(match *league.Match) (yes bool) {
	yes = c.isSettled(match.ID)
	if !yes && c.opts.Records.Has(match.ID, match.Outcome.RecordSHA256) {
		c.markSettled(match.ID)
		return true
	}
	return yes
}

// wholeRounds returns the last round such that the records of this and all earlier rounds are stored.
func (c *collector) wholeRounds() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.whole
}

// setWhole records that all records up to a round are stored. Later scans start after it.
func (c *collector) setWhole(round int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.whole = round
}

// settledCount returns the number of settled records: stored, or known to be unobtainable.
func (c *collector) settledCount() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.kept)
}

// isSettled reports whether the record of a match is stored or known to be unobtainable.
func (c *collector) isSettled(match string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept[match]
}

// markSettled marks the record of a match as stored or unobtainable.
func (c *collector) markSettled(match string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept[match] = true
}

// markMissing marks the record of a match as missing, so that it is fetched again.
func (c *collector) markMissing(match string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.kept, match)
	c.whole = 0
}

// keep stores the record of a match. If that fails, for example on a full disk, it logs the failure, and the record is
// fetched again later. The result counts in any case.
func (c *collector) keep(match string, doc []byte) {
	err := c.opts.Records.Store(match, doc)
	if c.trouble(recordFailure, err); err == nil {
		c.markSettled(match)
	}
}

// adopt stores the records in refs that Options.Adopt finds on this machine, and returns the others. Records of
// annulled results are left out.
func (c *collector) adopt(referee string, refs []protocol.RecordRef) (rest []protocol.RecordRef) {
	if c.opts.Adopt == nil {
		return refs
	}
	for _, ref := range refs {
		if c.damaged[ref.MatchID] {
			rest = append(rest, ref)
		}
	}
	refs = slices.DeleteFunc(refs, func(ref protocol.RecordRef) bool { return c.damaged[ref.MatchID] })
	refs, hashes := c.recordHashes(refs)
	for i, kept := range c.opts.Adopt(referee, refs, hashes) {
		if kept {
			c.markSettled(refs[i].MatchID)
		} else {
			rest = append(rest, refs[i])
		}
	}
	return rest
}
