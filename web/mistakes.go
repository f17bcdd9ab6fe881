package web

import (
	"context"
	"sync"
	"time"
)

// mistakes caches the losing moves of finished matches. It searches one match at a time, in the background, and a page
// waits for that only briefly. It is safe for concurrent use.
type mistakes struct {
	find func(ctx context.Context, league, match string) (int, error)
	run  func(f func(ctx context.Context)) // in the background
	turn chan struct{}

	mu sync.Mutex
	by map[[2]string]*mistake // by league and match
}

// A mistake is the cache entry for the losing turn of a match, which is set when ready is closed.
type mistake struct {
	ready chan struct{}
	turn  int
}

const (
	mistakesMost    = 1024                   // the size of the cache
	mistakePatience = 250 * time.Millisecond // of a page
	mistakeTimeout  = 10 * time.Second       // of a search
)

func newMistakes(o *Options) *mistakes {
	return &mistakes{find: o.Mistake, run: o.Go, turn: make(chan struct{}, 1), by: map[[2]string]*mistake{}}
}

// of returns the losing turn of a match, from 1; 0 if there is none or it is not found yet.
func (m *mistakes) of(ctx context.Context, league, match string) int {
	if m.find == nil {
		return 0
	}
	one := m.entry(league, match)
	select {
	case <-one.ready:
		return one.turn
	case <-time.After(mistakePatience):
	case <-ctx.Done():
	}
	return 0
}

// entry returns the entry of a match and starts its search if it is new. It clears the cache when that is full.
func (m *mistakes) entry(league, match string) *mistake {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := [2]string{league, match}
	one := m.by[key]
	if one == nil {
		if len(m.by) >= mistakesMost {
			clear(m.by)
		}
		one = &mistake{ready: make(chan struct{})}
		m.by[key] = one
		m.run(func(ctx context.Context) { m.search(ctx, key, one) })
	}
	return one
}

// search fills in an entry. A failed search leaves it without a turn.
func (m *mistakes) search(ctx context.Context, key [2]string, one *mistake) {
	defer close(one.ready)
	m.turn <- struct{}{}
	defer func() { <-m.turn }()
	ctx, stop := context.WithTimeout(ctx, mistakeTimeout)
	defer stop()
	if turn, err := m.find(ctx, key[0], key[1]); err == nil {
		one.turn = turn
	}
}
