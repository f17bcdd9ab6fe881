package server

import (
	"errors"
	"sync"
	"time"

	"agentleague/protocol"
)

// A place is the server's entry for one league, which may be open or closed:
//
//	shut ─ hold ─▶ opening ─▶ open ─ release ─▶ closing ─▶ shut
//
// A request that arrives during opening or closing waits, and then finds the league open. A shut place costs only its
// name: no goroutine, no timer, no file.
type place struct {
	id    string
	stays bool // it is not closed before the server ends

	mu       sync.Mutex
	league   *League       // nil: it is not open
	moving   chan struct{} // closed when opening or closing has ended; nil: neither is under way
	err      error         // the error of the last opening
	failed   time.Time     // the time of that error
	held     int           // requests in hand
	idle     chan struct{} // closed when the last request in hand is answered; nil: no goroutine waits
	used     time.Time     // time of the last arrival or departure
	rested   bool          // this server closed it for idleness, and has not given it away since
	vacant   bool          // agents could join it when it was last closed
	archived bool          // it is archived
	state    string        // of the league at its last closing or discovery; "": unknown
}

// openErrorLifetime is how long the error of a failed opening is cached and returned to requests.
const openErrorLifetime = 10 * time.Second

// ErrNoLeague means that the server has no league of that id.
var ErrNoLeague = errors.New("there is no such league here")

// ErrClosing means that the server is shutting down and opens no league.
var ErrClosing = errors.New("the manager is shutting down; try again when it is back")

// errArchived means that a league does not run because it is archived.
var errArchived = errors.New("the league is archived; its admin can bring it back")

// If the league is open, enter returns it and counts the request. Otherwise it returns either an error, which is the
// cached one of an opening or that the league is archived, or moving, a channel that is closed when the caller should
// retry. If all results are nil, the caller must open the league.
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
	case p.err != nil && (errors.Is(p.err, ErrClosing) || time.Since(p.failed) < openErrorLifetime):
		return nil, nil, p.err
	}
	p.moving = make(chan struct{})
	return nil, nil, nil
}

// shut reports whether the league must not be opened: it is archived and not over. The caller holds the lock.
func (p *place) shut() bool { return p.archived && !protocol.IsOver(p.state) }

// leave ends a request that enter has counted, so that the league may be closed.
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

// stateNow returns the state of the league by its protocol name, or the last known state if the league is closed; ""
// means unknown. It opens no league and does not block.
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
