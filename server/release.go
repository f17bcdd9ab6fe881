package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"agentleague/protocol"
)

// When an idle league is closed, and the interval of the check. One check covers all leagues of the server, so that
// an idle league has no timer.
const (
	restAfter = time.Minute
	restLook  = restAfter / 4
)

// finishWithin limits requests in hand when their league is closed, and once more after their cancellation.
const finishWithin = 2 * time.Second

// errReleased is the cause with which a closed league's manager ends. An interrupted caller retries and finds the
// league opened again, here or on another manager.
var errReleased = protocol.Errorf(protocol.Internal, "the league is being closed here; try again").Pass()

// A rester is an engine that can close the files of an unused log.
type rester interface {
	// Rest closes the engine's open files of a log. The next use opens them again.
	Rest(ctx context.Context, log string) error
}

// release closes a league: requests in hand finish, its manager, built-in agents and seats end, and its files are
// closed. It returns after all of that; the next visit opens the league again. Matches in play are interrupted, as at
// a process exit: to let them finish, drain the league first. The first league is never closed. Release does nothing
// for a league that is not open.
func (c *places) release(id string) error {
	p := c.place(id)
	if p == nil {
		return errNoLeague
	}
	err := c.closeIf(p, func(*League) bool { return true })
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rested = false // the next manager to open it takes it over
	return err
}

// closeIf closes the league of a place if it is open and may be closed.
func (c *places) closeIf(p *place, may func(*League) bool) error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.moving.Done()
	l, idle := p.beginClose(may)
	if l == nil {
		return nil
	}
	await(idle, finishWithin)
	l.end(errReleased)
	await(idle, finishWithin)
	err := c.letGo(l)
	p.endClose(l)
	return err
}

// beginClose blocks new requests to a league that may be closed, and returns it, or nil. Idle is closed when no
// request is in hand any more.
func (p *place) beginClose(may func(*League) bool) (l *League, idle <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.league == nil || p.moving != nil || p.stays || !may(p.league) {
		return nil, nil
	}
	p.moving, p.idle = make(chan struct{}), make(chan struct{})
	idle = p.idle
	if p.held == 0 {
		close(p.idle)
		p.idle = nil
	}
	return p.league, idle
}

// endClose permits the league to be opened again.
func (p *place) endClose(was *League) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.league, p.idle, p.rested, p.vacant, p.state = nil, nil, true, was.vacant(), was.state()
	close(p.moving)
	p.moving = nil
}

// await waits for a channel to be closed, up to a limit.
func await(done <-chan struct{}, most time.Duration) {
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
	}
}

// sweep closes idle leagues periodically, until the server ends.
func (c *places) sweep(rests func(*League) bool, logger *slog.Logger) {
	look := time.NewTicker(restLook)
	defer look.Stop()
	for {
		select {
		case <-look.C:
			c.closeResting(time.Now().Add(-restAfter), rests, logger)
		case <-c.over.Done():
			return
		}
	}
}

// closeResting closes the idle leagues without a request since the given time.
func (c *places) closeResting(since time.Time, rests func(*League) bool, logger *slog.Logger) {
	for _, id := range c.Leagues() {
		p := c.place(id)
		if p == nil || !p.quietSince(since) {
			continue
		}
		// No request is in hand now; a concurrent one is waited for, or finds the league opened again.
		err := c.closeIf(p, func(l *League) bool { return p.held == 0 && rests(l) })
		if err != nil && !errors.Is(err, errClosing) {
			logger.Warn("a league that rests was not closed cleanly", slog.String("league_id", id),
				slog.Any("error", err))
		}
	}
}

// quietSince reports whether the league is open and had no request since the given time.
func (p *place) quietSince(since time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.league != nil && p.moving == nil && !p.stays && p.held == 0 && !p.used.After(since)
}

// settle starts the tasks of a league after its opening.
func (c *Server) settle(l *League) {
	c.begin(l)
	c.seats.open(l)
}

// letGo returns when a canceled league has ended all tasks and closed all files.
func (c *Server) letGo(l *League) error {
	c.seats.close(l)
	err := l.wait()
	if disk, ok := c.disk.(rester); ok {
		err = errors.Join(err, disk.Rest(context.WithoutCancel(c.life), l.ID()))
	}
	return err
}

// rests reports whether a league is idle until the next request.
func (c *Server) rests(l *League) bool {
	return l.busy.Load() == 0 && !c.seats.has(l.ID()) && l.Manager.Rests()
}
