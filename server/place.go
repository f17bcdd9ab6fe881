package server

import (
	"context"
	"errors"
	"sync"
	"time"
)

// A place is that of a league on a server, whether the league is open or not:
//
//	shut ─ hold ─▶ opening ─▶ open ─ release ─▶ closing ─▶ shut
//
// Whoever comes while it is opened or closed waits, and finds it open then. A place that is shut costs its name and no
// more: no goroutine, no timer, no file.
type place struct {
	id   string
	open func() (*League, error) // called by one goroutine at a time, each time that the league is opened

	mu     sync.Mutex
	league *League       // nil: it is not open
	moving chan struct{} // closed when it is no longer being opened or closed; nil: it is not
	err    error         // why it could not be opened the last time
	failed time.Time     // when that was
	held   int           // requests in hand
	idle   chan struct{} // closed when the last request in hand is answered; nil: nobody waits for that
	used   time.Time     // when somebody last came or left
}

// tryAgain is how long a league that could not be opened is not tried again: everybody who asks is told the same.
const tryAgain = 10 * time.Second

// errNoLeague says that a league is not on a server.
var errNoLeague = errors.New("there is no such league here")

// errClosing says that a server opens no further league.
var errClosing = errors.New("the manager is shutting down; try again when it is back")

// add puts a league on the server, to be opened when somebody comes for it.
func (c *Server) add(id string, open func() (*League, error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.places[id] == nil {
		c.places[id] = &place{id: id, open: open}
		c.order = append(c.order, id)
	}
}

// place returns that of a league, or nil.
func (c *Server) place(id string) *place {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.places[id]
}

// visit returns a league, which is opened if it was not. It stays open for at least [restAfter]: who needs it for longer
// holds it.
func (c *Server) visit(id string) (*League, error) {
	l, done, err := c.hold(c.life, id)
	if err == nil {
		done()
	}
	return l, err
}

// hold returns a league, which is opened if it was not and stays open until done is called. Ctx ends the wait for
// another who opens or closes it.
func (c *Server) hold(ctx context.Context, id string) (l *League, done func(), err error) {
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
func (c *Server) opened(id string) *League {
	p := c.place(id)
	if p == nil {
		return nil
	}
	return p.now()
}

// holdOpen is hold for a league that is open; nil: it is not.
func (c *Server) holdOpen(id string) (l *League, done func()) {
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
func (c *Server) unlock(p *place) {
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

// openAt opens the league of a place, with its agents and seats.
func (c *Server) openAt(p *place) (*League, error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.opening.Done()
	l, err := p.open()
	if err != nil {
		return nil, err
	}
	c.begin(l)
	c.seats.open(l)
	return l, nil
}

// enter takes the league in hand if it is open. Without one, an error says why it cannot be opened, and moving when to
// look again; neither means that the caller opens it.
func (p *place) enter() (l *League, moving <-chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.moving != nil:
		return nil, p.moving, nil
	case p.league != nil:
		p.held++
		p.used = time.Now()
		return p.league, nil, nil
	case p.err != nil && (errors.Is(p.err, errClosing) || time.Since(p.failed) < tryAgain):
		return nil, nil, p.err
	}
	p.moving = make(chan struct{})
	return nil, nil, nil
}

// leave notes that a request is no longer in hand.
func (p *place) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used = time.Now()
	if p.held--; p.held == 0 && p.idle != nil {
		close(p.idle)
		p.idle = nil
	}
}

// now returns the league if it is open, or nil.
func (p *place) now() *League {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.moving != nil {
		return nil
	}
	return p.league
}
