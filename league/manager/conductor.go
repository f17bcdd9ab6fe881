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

	recorded []string // room for the matches of a look
}

// After a look at all of the league the conductor rests so many times as long as it looked, but not for long: on a
// busy machine to look may have been mostly waiting. Such a look takes longer the more matches a round has; with the
// rest, looking is a bounded share of the manager's time. Before the league starts, every registration is followed by
// one, and nobody waits for it.
const (
	restShare    = 9
	maxRest      = 5 * time.Millisecond
	maxLobbyRest = 100 * time.Millisecond
)

// conduct looks again whenever something has changed, until the manager ends.
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

// step starts everything that is due, and returns how long a rest it has earned at most. While the disk is full
// nothing is due. What most changes are, that a player has heard of its match or a match has its result, is not worth
// a look at all the others: what follows from it is work for that match alone, however many there are.
func (c *conductor) step() (rest time.Duration) {
	if c.full() != "" {
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
		if len(league.OpenNext(s)) > 0 && !c.drain.isOn() {
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

// openRound opens a round, after a rest if it is not the first.
func (c *conductor) openRound(round int) {
	if round > 1 && c.opts.Pace > 0 && c.Node.Sleep(c.ctx, "pace", c.opts.Pace) != nil {
		return
	}
	_ = c.do(c.ctx, func(s *league.State) ([]league.Event, error) { return league.OpenNext(s), nil })
}
