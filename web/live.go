package web

import (
	"context"
	"sync"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

const (
	liveEvery   = 400 * time.Millisecond // how often a referee is asked about a match at most
	liveTimeout = 2 * time.Second        // that it may take to answer
	liveAsked   = 8                      // matches that are asked about at a time
	liveKept    = 256                    // matches that are remembered

	livePatience = 10 * time.Second // how long a request waits for a change
)

// glimpses are matches in play as their referees tell them. A referee is asked only while somebody looks, and not
// more often for many who do. Nothing of it is kept, and no result rests on it.
type glimpses struct {
	ask  func(ctx context.Context, league, match string) (*protocol.MatchState, error)
	room chan struct{}

	mu sync.Mutex
	by map[[2]string]*glimpse // by league and match
}

// A glimpse is one match, as it was told last.
type glimpse struct {
	mu    sync.Mutex
	next  time.Time // when its referee may be asked again
	state *protocol.MatchState
}

func newGlimpses(ask func(ctx context.Context, league, match string) (*protocol.MatchState, error)) *glimpses {
	return &glimpses{ask: ask, room: make(chan struct{}, liveAsked), by: map[[2]string]*glimpse{}}
}

// look shows a match in play as everybody may see it; nil: nobody can be asked about matches.
func (g *glimpses) look(ctx context.Context, m Season, match string) *LiveView {
	if g.ask == nil {
		return nil
	}
	var a, b NameView
	m.Read(func(s *league.State) {
		if of := s.Matches[match]; of != nil {
			a, b = nameOf(s, of.A), nameOf(s, of.B)
		}
	})
	return liveView(g.of(ctx, m.ID(), match), a, b)
}

// of returns how a match stands; nil: its referee does not tell.
func (g *glimpses) of(ctx context.Context, league, match string) *protocol.MatchState {
	one := g.find(league, match)
	one.mu.Lock()
	defer one.mu.Unlock()
	if time.Now().Before(one.next) {
		return one.state
	}
	select {
	case g.room <- struct{}{}:
		defer func() { <-g.room }()
	default:
		return one.state // too many look at once: it is as it was
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), liveTimeout) // others want the answer too
	defer stop()
	var err error
	if one.state, err = g.ask(ctx, league, match); err != nil {
		one.state = nil
	}
	one.next = time.Now().Add(liveEvery)
	return one.state
}

// find returns the glimpse of a match, and forgets those that nobody has looked at for a while.
func (g *glimpses) find(league, match string) *glimpse {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := [2]string{league, match}
	one := g.by[key]
	if one == nil {
		if len(g.by) >= liveKept {
			clear(g.by)
		}
		one = &glimpse{}
		g.by[key] = one
	}
	return one
}
