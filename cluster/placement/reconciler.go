package placement

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"agentleague/cluster"
	"agentleague/host"
	"agentleague/league"
	"agentleague/server"
)

// A reconciler opens each league on the manager that owns it, and closes it on any other:
//
//	the cluster reassigns a league ─┐
//	a manager ends unasked ─────────┴─▶ adjust(league): open it, close it, or leave it
//
// At most one goroutine works on a league at a time, and none while there is no work.
type reconciler struct {
	life    context.Context
	env     *host.Env
	member  *cluster.Member
	leagues *server.Leagues
	address string // of this manager
	logger  *slog.Logger
	say     func(line string)
	tasks   sync.WaitGroup // end with the server

	mu      sync.Mutex
	working map[string]bool  // true: the league changed after the last pass
	owners  map[string]owner // of each league at the last pass
}

// minOpenBackoff is the initial backoff after a league could not be opened, and maxOpenBackoff its maximum.
const (
	minOpenBackoff = 100 * time.Millisecond
	maxOpenBackoff = 2 * time.Second
)

// follow applies the cluster's changes until the server ends.
func (c *reconciler) follow() {
	for {
		changed := c.member.Changed()
		c.reconcileAll()
		select {
		case <-changed:
		case <-c.life.Done():
			return
		}
	}
}

// reconcileAll registers every league of the cluster here, and adjusts each one that has a new owner or is open here.
func (c *reconciler) reconcileAll() {
	for _, l := range c.member.Leagues() {
		c.learn(l)
		if c.noteOwner(l) || c.leagues.Opened(l.ID) != nil {
			c.adjust(l.ID)
		}
	}
}

// learn registers a league of the cluster in this process, with its archived flag, and writes its settings to the data
// directory.
func (c *reconciler) learn(l cluster.League) {
	changed, err := c.env.Leagues().Keep(l.ID, l.Settings)
	if err != nil {
		c.logger.Error("the settings of a league cannot be written", slog.String("league_id", l.ID), slog.Any("error", err))
		return
	}
	if changed {
		c.logger.Info("the settings of a league are replaced by those of the cluster", slog.String("league_id", l.ID))
	}
	c.leagues.Register(l.ID)
	c.leagues.SetArchived(l.ID, l.Archived)
}

// An owner is the member that has a league. A manager that was restarted is another member at the same address.
type owner struct{ member, address string }

// noteOwner records the owner of a league, and reports whether it has changed.
func (c *reconciler) noteOwner(l cluster.League) (changed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was, is, self := c.owners[l.ID], owner{l.Owner, c.member.Address(l.Owner)}, c.member.Name()
	if is.address != "" {
		c.owners[l.ID] = is
	}
	if is.member == self && was.member != self {
		from := strings.TrimSuffix(was.address, c.address) // this manager before it was restarted
		c.tell("Took over %s", strings.TrimSuffix(l.ID+" from "+from, " from "))
	}
	if was.member == self && is.address != "" && is.member != self {
		c.tell("Handed %s on to %s", l.ID, is.address)
	}
	return was.member != is.member
}

// tell logs a line and passes it to the operator's terminal.
func (c *reconciler) tell(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	c.logger.Info(line, slog.String("event_type", "LEAGUE_MOVED"))
	c.say(line)
}

// adjust starts work on a league in the background, or has the work in progress repeated.
func (c *reconciler) adjust(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, busy := c.working[id]; busy {
		c.working[id] = true
		return
	}
	c.working[id] = false
	c.tasks.Go(func() { c.work(id) })
}

// work opens or closes a league, with retries, until it is in the desired state.
func (c *reconciler) work(id string) {
	pause := minOpenBackoff
	for c.life.Err() == nil {
		err := c.arrange(id)
		if err == nil && c.done(id) || errors.Is(err, server.ErrClosing) {
			return
		}
		if err == nil {
			pause = minOpenBackoff
			continue
		}
		c.logger.Warn("a league cannot be opened yet", slog.String("league_id", id), slog.Any("error", err))
		select {
		case <-time.After(pause):
		case <-c.life.Done():
		}
		pause = min(2*pause, maxOpenBackoff)
	}
}

// done ends the work on a league and returns true, unless the league was changed concurrently.
func (c *reconciler) done(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.working[id] {
		c.working[id] = false
		return false
	}
	delete(c.working, id)
	return true
}

// arrange opens a league that this manager owns and must play, and closes one that it does not own or whose manager has
// ended.
func (c *reconciler) arrange(id string) error {
	c.leagues.AwaitMove(c.life, id) // a request for the league may be opening it
	known, _ := c.member.League(id)
	_, mine, _ := c.member.Owner(id)
	if l := c.leagues.Opened(id); l != nil && (!mine || ended(l)) {
		if err := c.leagues.Release(id); err != nil && !errors.Is(err, server.ErrClosing) {
			c.logger.Warn("a league was not closed cleanly", slog.String("league_id", id), slog.Any("error", err))
		}
	}
	if !mine || known.Over || known.Archived || c.leagues.Opened(id) != nil {
		return nil
	}
	_, err := c.leagues.Visit(id)
	return err
}

// ended reports whether the manager of a league has ended.
func ended(l *server.League) bool {
	select {
	case <-l.Manager.Ended():
		return true
	default:
		return false
	}
}

// watch reports to the cluster when a league is over. If the league's manager ends unexpectedly, because it was fenced
// or its log was not writable, watch schedules a new opening. Ctx ends when the league is closed.
func (c *reconciler) watch(ctx context.Context, l *server.League) {
	select {
	case <-l.Manager.Done():
		l.Manager.Settle(ctx)
		if err := c.member.Over(c.life, l.ID()); err != nil && c.life.Err() == nil {
			c.logger.Warn("the cluster was not told that a league is over", slog.String("league_id", l.ID()), slog.Any("error", err))
		}
		<-l.Manager.Ended()
	case <-l.Manager.Ended():
	}
	if c.leagues.Opened(l.ID()) == l {
		c.adjust(l.ID())
	}
}

// report prints a line when a league of this manager starts, when a round ends, and at the end.
func (c *reconciler) report(ctx context.Context, l *server.League) {
	rounds := 0
	l.Manager.Read(func(s *league.State) { rounds = s.TotalRounds() })
	for h, err := range l.Manager.Follow(ctx, l.Manager.Sequence()) {
		if err != nil {
			return
		}
		for _, e := range h.Events {
			switch e := e.(type) {
			case league.Started:
				l.Manager.Read(func(s *league.State) { rounds = s.TotalRounds() })
				c.say(fmt.Sprintf("%s: started with %d players", l.ID(), len(e.Players)))
			case league.RoundClosed:
				c.say(fmt.Sprintf("%s: round %d of %d is over", l.ID(), e.Round, rounds))
			case league.Completed:
				c.say(l.ID() + ": the league is over")
			case league.Cancelled:
				c.say(l.ID() + ": the league is cancelled")
			}
		}
	}
}

// level transfers leagues to managers that play at least two fewer, one at a time, such as to one that has joined.
// Other leagues continue concurrently.
func (c *reconciler) level() {
	for {
		changed := c.member.Changed()
		if id, to, more := c.member.Surplus(); more {
			c.handOn(id, to)
		}
		select {
		case <-changed:
		case <-c.life.Done():
			return
		}
	}
}

// handOn transfers a league to another member. It first waits until open matches have ended and their records are
// stored, since the next manager may not reach the referees of this process, but at most [server.Patience]: the rest is
// left to the next manager, as after a crash. If the transfer fails, the league continues here.
func (c *reconciler) handOn(id, to string) {
	l, done := c.leagues.HoldOpen(id)
	if l != nil {
		ctx, cancel := context.WithTimeout(c.life, server.Patience)
		defer cancel()
		_ = l.Manager.Orders.Drain(ctx, "another manager that has less to do") // or the matches took too long
		l.Manager.Settle(ctx)
		done()
	}
	if err := c.member.Give(c.life, id, to); err != nil && c.life.Err() == nil {
		c.logger.Warn("a league was not handed on", slog.String("league_id", id), slog.Any("error", err))
	}
	if _, mine, _ := c.member.Owner(id); mine && l != nil {
		l.Manager.Orders.Release()
	}
}
