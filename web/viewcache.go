package web

import (
	"sync"
	"time"
)

// A viewCache is what all viewers of a league share: its view, which is made at most once for each change, and its hub.
type viewCache struct {
	m   Season
	hub *hub

	mu    sync.Mutex
	view  *LeagueView
	fresh time.Time // until when the view is shown although the log has grown
	stale bool      // somebody has done something and wants to see it
}

// The view of a league is behind its log by the first, or by nine times as long as it takes to make, up to the second.
const (
	viewEvery  = 250 * time.Millisecond
	viewSeldom = 5 * time.Second
)

// look returns the league as it stands, with the names that the options give it. Whoever asks meanwhile waits for the
// same view.
func (c *viewCache) look(o *Options) *LeagueView {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.view != nil && !c.stale && (now.Before(c.fresh) || c.upToDate()) {
		return c.view
	}
	c.view, c.stale = newLeagueView(o, c.m, c.view), false
	c.fresh = time.Now().Add(min(max(viewEvery, 9*time.Since(now)), viewSeldom))
	return c.view
}

// upToDate reports whether nothing has happened since the view was made.
func (c *viewCache) upToDate() bool {
	return c.view.Sequence == c.m.Sequence() && c.view.WaitsFor == waitsFor(c.m) &&
		c.view.Resting == c.m.Resting() && c.view.Draining == c.m.Draining()
}

// forget has the next view made anew.
func (c *viewCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stale = true
}
