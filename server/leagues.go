package server

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Leagues opens the leagues of a server on demand and closes idle ones. It is safe for concurrent use.
type Leagues struct {
	over   context.Context // ends with the server
	opener *opener

	moving sync.WaitGroup // leagues that are being opened or closed

	mu     sync.RWMutex
	all    map[string]*place
	order  []string // the first league, then in the order of creation
	closed bool     // no further league is opened
}

// IDs lists the leagues of the server: the first, and the others in the order of their creation.
func (c *Leagues) IDs() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Clone(c.order)
}

// Running lists the leagues that are open.
func (c *Leagues) Running() (out []*League) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, id := range c.order {
		if l := c.all[id].now(); l != nil {
			out = append(out, l)
		}
	}
	return out
}

// Busy reports whether a league is not over.
func (c *Leagues) Busy() bool {
	return slices.ContainsFunc(c.Running(), func(l *League) bool { return !l.over() })
}

// Register adds a league that is opened on demand. It is idempotent.
func (c *Leagues) Register(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all[id] == nil {
		c.all[id] = &place{id: id}
		c.order = append(c.order, id)
	}
}

// place returns the entry of a league, or nil.
func (c *Leagues) place(id string) *place {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.all[id]
}

// Visit returns a league, opening it if necessary. The league stays open for at least [idleTimeout]; for longer use,
// call [Leagues.Hold].
func (c *Leagues) Visit(id string) (*League, error) {
	l, done, err := c.Hold(c.over, id)
	if err == nil {
		done()
	}
	return l, err
}

// Hold returns a league, opening it if necessary, and keeps it open until done is called. If the league is being opened
// or closed, Hold waits until that has ended or ctx ends.
func (c *Leagues) Hold(ctx context.Context, id string) (l *League, done func(), err error) {
	p := c.place(id)
	if p == nil {
		return nil, nil, ErrNoLeague
	}
	for {
		l, moving, err := p.enter()
		switch {
		case l != nil:
			return l, p.leave, nil
		case err != nil:
			return nil, nil, err
		case moving == nil: // this call opens it
			c.unlock(p)
			continue
		}
		select {
		case <-moving:
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
}

// Opened returns a league if it is open, or nil.
func (c *Leagues) Opened(id string) *League {
	p := c.place(id)
	if p == nil {
		return nil
	}
	return p.now()
}

// HoldOpen is like Hold, but returns nil, nil for a league that is not open.
func (c *Leagues) HoldOpen(id string) (l *League, done func()) {
	p := c.place(id)
	if p == nil {
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.league == nil || p.moving != nil {
		return nil, nil
	}
	p.held++
	p.used = time.Now()
	return p.league, p.leave
}

// unlock opens the league of a place and wakes the waiting requests. Only a caller to which p.enter returned neither a
// league, an error nor a channel may call it.
func (c *Leagues) unlock(p *place) {
	l, err := c.openAt(p)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.league, p.err, p.used = l, err, time.Now()
	if err != nil {
		p.failed = p.used
	}
	if p.moving != nil { // no other goroutine closes it during the opening
		close(p.moving)
		p.moving = nil
	}
}

// openAt opens the league of entry p and starts its background tasks.
func (c *Leagues) openAt(p *place) (*League, error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.moving.Done()
	p.mu.Lock()
	rested := p.rested
	p.mu.Unlock()
	l, err := c.opener.open(p.id, rested)
	if err == nil {
		c.opener.begin(l)
		c.opener.seats.open(l)
	}
	return l, err
}

// State returns the state of a league by its protocol name, or the last known state if the league is closed; "" means
// unknown. It opens no league, so it is cheap enough for long lists.
func (c *Leagues) State(id string) (state string, open bool) {
	p := c.place(id)
	if p == nil {
		return "", false
	}
	return p.stateNow(), p.now() != nil
}

// discovered records the state of a registered, closed league ("" if unknown) and whether it is archived.
func (c *Leagues) discovered(id, state string, away bool) {
	p := c.place(id)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state, p.archived = state, away
}

// vacant lists the leagues that agents can join, open or closed, except the one with the id but.
func (c *Leagues) vacant(but string) (out []string) {
	for _, id := range c.IDs() {
		if p := c.place(id); id != but && p != nil && p.canJoin() {
			out = append(out, id)
		}
	}
	return out
}

// Archived reports whether a league is archived.
func (c *Leagues) Archived(id string) bool {
	p := c.place(id)
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.archived
}

// SetArchived sets the archived flag of a registered league.
func (c *Leagues) SetArchived(id string, away bool) {
	p := c.place(id)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.archived = away
}

// remove unregisters a league that was never started.
func (c *Leagues) remove(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.all, id)
	c.order = slices.DeleteFunc(c.order, func(other string) bool { return other == id })
}

// enter must be called before a league is opened or closed. It returns an error if the server is shutting down.
// Otherwise the caller must call moving.Done at the end.
func (c *Leagues) enter() error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return ErrClosing
	}
	c.moving.Add(1)
	return nil
}

// shutDown rejects further openings and closings and waits for those in progress.
func (c *Leagues) shutDown() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.moving.Wait()
}

// isShut reports whether the server is shutting down.
func (c *Leagues) isShut() bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.closed
}
