package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"agentleague/protocol"
)

// The idle time after which a league is closed, and the interval of the check. One ticker checks all leagues, so that
// an idle league needs no timer.
const (
	idleTimeout       = time.Minute
	idleCheckInterval = idleTimeout / 4
)

// drainTimeout limits the wait for open requests when their league is closed: once before, and once after, their
// cancellation.
const drainTimeout = 2 * time.Second

// errReleased is the cancellation cause of a closed league. It is retryable: the caller then finds the league reopened
// here or on another manager.
var errReleased = protocol.Errorf(protocol.Internal, "the league is being closed here; try again").Pass()

// Release closes a league: requests in hand finish, its manager, built-in agents and seats end, and its files are
// closed. It returns after all of that; the next [Leagues.Visit] opens the league again. Matches in play are
// interrupted, as at a process exit: to let them finish, drain the league first. A first league that stays open, and a
// league that is not open, are left alone.
func (c *Leagues) Release(id string) error {
	p := c.place(id)
	if p == nil {
		return ErrNoLeague
	}
	err := c.closeIf(p, func(*League) bool { return true })
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rested = false // the next manager to open it takes it over
	return err
}

// closeIf closes the league of a place if it is open and may returns true. may is called with the place locked.
func (c *Leagues) closeIf(p *place, may func(*League) bool) error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.moving.Done()
	l, idle := p.beginClose(may)
	if l == nil {
		return nil
	}
	await(idle, drainTimeout)
	l.end(errReleased)
	await(idle, drainTimeout)
	err := c.opener.letGo(l)
	p.endClose(l)
	return err
}

// AwaitMove waits until a registered league is neither being opened nor closed, or until ctx ends. It clears the cached
// error of a failed opening, so that the next [Leagues.Visit] retries at once.
func (c *Leagues) AwaitMove(ctx context.Context, id string) {
	p := c.place(id)
	p.mu.Lock()
	moving := p.moving
	p.mu.Unlock()
	if moving != nil {
		select {
		case <-moving:
		case <-ctx.Done():
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = nil
}

// beginClose blocks new requests to the league and returns it, if it is open and may returns true, and otherwise nil.
// idle is closed when the last open request has ended.
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

// endClose marks the place as closed, so that the league can be opened again, and wakes the waiting requests.
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

// every calls f at an interval until the server ends.
func (c *Leagues) every(interval time.Duration, f func()) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			f()
		case <-c.over.Done():
			return
		}
	}
}

// sweep closes idle leagues periodically, until the server ends.
func (c *Leagues) sweep() {
	c.every(idleCheckInterval, func() { c.closeResting(time.Now().Add(-idleTimeout)) })
}

// closeResting closes idle leagues that have had no request since the given time.
func (c *Leagues) closeResting(since time.Time) {
	for _, id := range c.IDs() {
		p := c.place(id)
		if p == nil {
			continue
		}
		// A concurrent request either ends first, or waits and opens the league again.
		err := c.closeIf(p, func(l *League) bool { return p.held == 0 && !p.used.After(since) && c.opener.rests(l) })
		if err != nil && !errors.Is(err, ErrClosing) {
			c.opener.logger.Warn("a league that rests was not closed cleanly", slog.String("league_id", id),
				slog.Any("error", err))
		}
	}
}

// The interval of the health check of open leagues' log files, and the number of such checks per check of the disk
// space. Closed leagues are not checked.
const (
	healthCheckInterval = 900 * time.Millisecond
	checksPerRoomCheck  = 2
)

// lookAfter pauses open leagues whose log cannot be written, before a write fails. It runs until the server ends.
func (c *Leagues) lookAfter(hasRoom func() error) {
	n := 0
	c.every(healthCheckInterval, func() {
		var room error
		if n++; n%checksPerRoomCheck == 0 {
			room = hasRoom()
		}
		for _, l := range c.Running() {
			l.Manager.Look(room)
		}
	})
}
