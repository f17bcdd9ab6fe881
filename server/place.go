package server

import (
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

	stays bool // it is not closed before the server ends

	mu       sync.Mutex
	league   *League       // nil: it is not open
	moving   chan struct{} // closed when it is no longer being opened or closed; nil: it is not
	err      error         // why it could not be opened the last time
	failed   time.Time     // when that was
	held     int           // requests in hand
	idle     chan struct{} // closed when the last request in hand is answered; nil: nobody waits for that
	used     time.Time     // when somebody last came or left
	rested   bool          // it was closed because nothing happened in it, by this server, and was not given away since
	vacant   bool          // agents could join it when it was closed so
	archived bool          // it is put away
	state    string        // of the league when it was last closed, or found; "": nobody knows
}

// tryAgain is how long a league that could not be opened is not tried again: everybody who asks is told the same.
const tryAgain = 10 * time.Second

// errNoLeague says that a league is not on a server.
var errNoLeague = errors.New("there is no such league here")

// errClosing says that a server opens no further league.
var errClosing = errors.New("the manager is shutting down; try again when it is back")

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
	case p.shut():
		return nil, nil, errArchived
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

// stateNow is the state of the league in the protocol's words, or what it was when it was last looked at; "": nobody
// has. It opens nothing and does not wait.
func (p *place) stateNow() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.league == nil {
		return p.state
	}
	return p.league.state()
}

// canJoin reports whether agents can join the league, or could when it was closed.
func (p *place) canJoin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.league == nil {
		return p.rested && p.vacant && !p.archived
	}
	return p.league.vacant()
}
