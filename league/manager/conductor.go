package manager

import (
	"fmt"
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
			next := s.Round + 1
			due = append(due, func() { c.once(fmt.Sprintf("open %d", next), func() { c.openRound(next) }) })
		}
	})
	for _, start := range due {
		start()
	}
	c.dispatch.startDue()
	return rest
}

// openRound opens a round. Before every round but the first it waits for Options.Pace.
func (c *conductor) openRound(round int) {
	if round > 1 && c.opts.Pace > 0 && c.Node.Sleep(c.ctx, "pace", c.opts.Pace) != nil {
		return
	}
	_ = c.Do(c.ctx, func(s *league.State) ([]league.Event, error) { return league.OpenNext(s, c.keys.DrawSecret()), nil })
}
