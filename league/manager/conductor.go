package manager

import (
	"fmt"
	"slices"
	"time"

	"agentleague/league"
)

// A conductor keeps the league going. It looks at the durable state, sees
// what is due, and has it done in the background. It remembers nothing that
// the log does not tell, so it does not matter when it is killed: whatever was
// due is still due.
type conductor struct {
	*core
	*ledger
	*jobs
	tasks    *matchTasks
	lobby    *lobby
	news     *broadcaster
	dispatch *dispatcher
	watch    *watcher
	drain    *drainage
}

// The conductor rests so many times as long as it looked, but not for long: on a
// busy machine to look may have been mostly waiting. To look takes longer the more
// matches a round has, and there is more to look for the more there are: with
// the rest, looking is a bounded share of the manager's time.
const (
	restShare = 9
	maxRest   = 5 * time.Millisecond
)

// conduct looks again whenever something has changed, until the manager ends.
func (c *conductor) conduct() {
	for c.ctx.Err() == nil { // of a wake and the end that come together the end counts
		start := time.Now()
		c.step()
		if took := time.Since(start); took > 0 && c.Node.Sleep(c.ctx, "conduct", min(restShare*took, maxRest)) != nil {
			return
		}
		select {
		case <-c.wake:
		case <-c.ctx.Done():
			return
		}
	}
}

// step starts everything that is due. While the disk is full nothing is.
func (c *conductor) step() {
	if c.full() != "" {
		return
	}
	c.look()
	var due []func()
	c.Read(func(s *league.State) {
		if !s.Started() {
			due = c.lobby.dueStart(s)
			return
		}
		c.tasks.enter(s.Round)
		due = slices.Concat(c.news.dueNotes(s), c.news.dueNews(s), c.dispatch.dueMatches(s), c.watch.dueWatches(s))
		if len(league.OpenNext(s)) > 0 && !c.drain.isOn() {
			next := s.Round + 1
			due = append(due, func() { c.once(fmt.Sprintf("open %d", next), func() { c.openRound(next) }) })
		}
	})
	for _, start := range due {
		start()
	}
}

// openRound opens a round, after a rest if it is not the first.
func (c *conductor) openRound(round int) {
	if round > 1 && c.opts.Pace > 0 && c.Node.Sleep(c.ctx, "pace", c.opts.Pace) != nil {
		return
	}
	_ = c.do(c.ctx, func(s *league.State) ([]league.Event, error) { return league.OpenNext(s), nil })
}
