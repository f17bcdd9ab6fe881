package manager

import (
	"slices"
	"time"

	"agentleague/league"
)

// A conductor drives the league. It reads the durable state, determines the due jobs, and starts them in the
// background. All its state can be derived from the log, so a crash at any point is safe: after a restart the same jobs
// are due.
type conductor struct {
	*core
	*ledger
	*jobs
	tasks    *matchTasks
	lobby    *lobby
	news     *broadcaster
	dispatch *dispatcher
	watch    *watcher
	drain    *drainState

	recorded []string // reused buffer for the matches of a step
}

// After a scan of the whole league the conductor sleeps for restShare times the duration of the scan, up to a maximum.
// This bounds the share of processor time that scans use in leagues with many matches. The maximum is needed because
// on a busy machine most of a scan's duration may be waiting. It is larger before the league starts: then every
// registration causes a scan, and nothing waits for the result.
const (
	restShare    = 9
	maxRest      = 5 * time.Millisecond
	maxLobbyRest = 100 * time.Millisecond
)

// conduct runs a step after every change, until the manager ends.
func (c *conductor) conduct() {
	for c.ctx.Err() == nil { // of a wake and the end that come together the end counts
		start := time.Now()
		most := c.step()
		if took := time.Since(start); took > 0 && most > 0 &&
			c.Node.Sleep(c.ctx, "conduct", min(restShare*took, most)) != nil {
			return
		}
		select {
		case <-c.wake:
		case <-c.ctx.Done():
			return
		}
	}
}

// step starts all due jobs, and returns the sleep that should follow, if any. While the disk is full nothing is due.
// The most frequent changes, acknowledged announcements and results, are handled without a scan of the other matches.
func (c *conductor) step() (rest time.Duration) {
	if c.pauseReason() != "" {
		return 0
	}
	whole, recorded := c.look(c.recorded[:0])
	c.recorded = recorded
	if !whole {
		c.Read(func(s *league.State) { c.dispatch.dueSince(s, recorded) })
		c.news.noteIfSent()
		c.dispatch.startDue()
		return 0
	}
	var due []func()
	rest = maxRest
	c.Read(func(s *league.State) {
		if !s.Started() && !s.Completed() {
			due, rest = c.lobby.dueStart(s), maxLobbyRest
			return
		}
		c.tasks.enter(s.Round)
		due = slices.Concat(c.news.dueNotes(s), c.news.dueNews(s), c.dispatch.dueMatches(s), c.watch.dueWatches(s))
		if league.MayOpenNext(s) && !c.drain.isOn() {
			left := league.NextRoundIn(s, c.clockOf(s), c.opts.Pace)
			due = append(due, func() { c.start(job{what: "open"}, func() bool { return c.openRound(left) }) })
		}
	})
	for _, start := range due {
		start()
	}
	c.dispatch.startDue()
	return rest
}

// maxWait is the longest sleep before a round: then the clock is read again, which may have jumped.
const maxWait = 30 * time.Second

// openRound opens a round, or sleeps if time is left until then. It returns settled if no round can be opened before the
// league changes.
func (c *conductor) openRound(left time.Duration) (settled bool) {
	if left > 0 {
		return c.Node.Sleep(c.ctx, "next round", min(left, maxWait)) != nil
	}
	opened := false
	err := c.Do(c.ctx, func(s *league.State) (events []league.Event, err error) {
		if !c.drain.isOn() {
			events = league.OpenNext(s, c.keys.DrawSecret(), c.clock())
		}
		opened = len(events) > 0
		return events, nil
	})
	return err == nil && !opened
}
