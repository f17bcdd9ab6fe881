package server

import (
	"context"
	"slices"
	"sync"
	"time"
)

// places are those of all leagues of a server.
type places struct {
	over   context.Context       // ends with the server
	settle func(l *League)       // begins what a league does once it is open
	letGo  func(l *League) error // returns when a league whose life has ended has come to rest and has nothing open

	moving sync.WaitGroup // leagues that are being opened or closed

	mu     sync.RWMutex
	all    map[string]*place
	order  []string // the first league, then in the order of creation
	closed bool     // no further league is opened
}

func newPlaces(over context.Context, settle func(*League), letGo func(*League) error) *places {
	return &places{over: over, settle: settle, letGo: letGo, all: map[string]*place{}}
}

// Leagues lists the leagues of the server: the first, and the others in the order of their creation.
func (c *places) Leagues() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Clone(c.order)
}

// Running lists the leagues that are open.
func (c *places) Running() (out []*League) {
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
func (c *places) Busy() bool {
	return slices.ContainsFunc(c.Running(), func(l *League) bool { return !l.over() })
}

// add puts a league on the server, to be opened when somebody comes for it.
func (c *places) add(id string, open func() (*League, error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all[id] == nil {
		c.all[id] = &place{id: id, open: open}
		c.order = append(c.order, id)
	}
}

// place returns that of a league, or nil.
func (c *places) place(id string) *place {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.all[id]
}

// visit returns a league, which is opened if it was not. It stays open for at least [restAfter]: who needs it for
// longer holds it.
func (c *places) visit(id string) (*League, error) {
	l, done, err := c.hold(c.over, id)
	if err == nil {
		done()
	}
	return l, err
}

// hold returns a league, which is opened if it was not and stays open until done is called. Ctx ends the wait for
// another who opens or closes it.
func (c *places) hold(ctx context.Context, id string) (l *League, done func(), err error) {
	p := c.place(id)
	if p == nil {
		return nil, nil, errNoLeague
	}
	for {
		l, moving, err := p.enter()
		switch {
		case l != nil:
			return l, p.leave, nil
		case err != nil:
			return nil, nil, err
		case moving == nil: // it is for us to open it
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

// opened returns a league if it is open, or nil.
func (c *places) opened(id string) *League {
	p := c.place(id)
	if p == nil {
		return nil
	}
	return p.now()
}

// holdOpen is hold for a league that is open; nil: it is not.
func (c *places) holdOpen(id string) (l *League, done func()) {
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

// unlock opens the league of a place that enter has given to the caller.
func (c *places) unlock(p *place) {
	l, err := c.openAt(p)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.league, p.err, p.used = l, err, time.Now()
	if err != nil {
		p.failed = p.used
	}
	if p.moving != nil { // nobody else closes it while it is opened
		close(p.moving)
		p.moving = nil
	}
}

// openAt opens the league of a place and has it begin.
func (c *places) openAt(p *place) (*League, error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.moving.Done()
	l, err := p.open()
	if err == nil {
		c.settle(l)
	}
	return l, err
}

// State is the state of a league in the protocol's words, or what it was when it was last looked at; "": nobody has. It
// opens nothing, so that thousands can be listed. Open reports whether the league is.
func (c *places) State(id string) (state string, open bool) {
	p := c.place(id)
	if p == nil {
		return "", false
	}
	return p.stateNow(), p.now() != nil
}

// found notes the state of a league that is not opened.
func (c *places) found(id, state string) {
	if p := c.place(id); p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.state = state
	}
}

// restedAt reports whether a league was closed by this server because nothing happened in it.
func (c *places) restedAt(id string) bool {
	p := c.place(id)
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rested
}

// vacant lists the leagues besides one that agents can join, open or not.
func (c *places) vacant(but string) (out []string) {
	for _, id := range c.Leagues() {
		if p := c.place(id); id != but && p != nil && p.canJoin() {
			out = append(out, id)
		}
	}
	return out
}

// remove takes a league off the server that was never begun.
func (c *places) remove(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.all, id)
	c.order = slices.DeleteFunc(c.order, func(other string) bool { return other == id })
}

// enter lets a league be opened, or closed, unless the server shuts down. The caller has to tell when it has been.
func (c *places) enter() error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return errClosing
	}
	c.moving.Add(1)
	return nil
}

// shutDown lets no further league be opened or closed, and returns when those that are being opened or closed are.
func (c *places) shutDown() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.moving.Wait()
}

// isShut reports whether no further league is opened.
func (c *places) isShut() bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.closed
}
