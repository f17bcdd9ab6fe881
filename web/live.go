package web

import (
	"context"
	"sync"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

const (
	minLiveInterval = 400 * time.Millisecond // the minimum interval of requests to a referee about one match
	liveTimeout     = 2 * time.Second        // a referee's time to answer
	maxLiveRequests = 8                      // the limit of concurrent requests to referees
	liveCacheSize   = 256                    // the size of the cache

	longPollTimeout = 10 * time.Second // the limit of a long poll
)

// glimpses caches the public state of matches in play. A referee is polled only while there are viewers, and about once
// per minLiveInterval for each match. The cached state has no effect on results.
type glimpses struct {
	ask  func(ctx context.Context, league, match string) (*protocol.MatchState, error)
	room chan struct{}

	mu sync.Mutex
	by map[[2]string]*glimpse // by league and match
}

// A glimpse is the cached state of one match.
type glimpse struct {
	mu    sync.Mutex
	next  time.Time // the time from which its referee may be asked again
	state *protocol.MatchState
}

func newGlimpses(ask func(ctx context.Context, league, match string) (*protocol.MatchState, error)) *glimpses {
	return &glimpses{ask: ask, room: make(chan struct{}, maxLiveRequests), by: map[[2]string]*glimpse{}}
}

// look returns the public view of a match in play; nil if this site has no access to the referees.
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

// of returns the state of a match; nil if its referee does not answer.
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
		return one.state // too many concurrent requests: return the cached state
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), liveTimeout) // concurrent viewers need the answer too
	defer stop()
	var err error
	if one.state, err = g.ask(ctx, league, match); err != nil {
		one.state = nil
	}
	one.next = time.Now().Add(minLiveInterval)
	return one.state
}

// find returns the glimpse of a match. It clears the cache when that is full.
func (g *glimpses) find(league, match string) *glimpse {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := [2]string{league, match}
	one := g.by[key]
	if one == nil {
		if len(g.by) >= liveCacheSize {
			clear(g.by)
		}
		one = &glimpse{}
		g.by[key] = one
	}
	return one
}
