package view

import (
	"sync"
	"time"

	"agentleague/league"
)

// A Cache builds the views of an open league, once for all readers. It is safe for concurrent use. A league that is
// opened again needs a new Cache.
type Cache struct {
	src     Source
	ratings league.RatingCache

	latest sync.Mutex // guards the fields below; held only by readers of the state
	of     *league.State
	table  *league.Table
	at     int // the version of the table

	recent sync.Mutex // guards the fields below
	view   *League
	fresh  time.Time // until when the view is shown although the log has grown
	stale  bool      // an order was given, and the view must show its effect
}

// NewCache returns the cache of a league that has just been opened.
func NewCache(src Source) *Cache { return &Cache{src: src} }

// Latest returns the table of a state, with ratings. The caller holds the read lock of the state, so that readers
// see the effects of their own writes.
func (c *Cache) Latest(s *league.State) *league.Table {
	c.latest.Lock()
	defer c.latest.Unlock()
	if c.table == nil || c.of != s || c.at != s.TableVersion() {
		c.of, c.at, c.table = s, s.TableVersion(), s.Table()
		c.table.Ratings = c.ratings.Of(s)
	}
	return c.table
}

// A recent view lags behind the log by up to viewEvery, or by up to nine times the duration of its construction,
// but by at most viewSeldom.
const (
	viewEvery  = 250 * time.Millisecond
	viewSeldom = 5 * time.Second
)

// Recent returns a view of the league that may be slightly out of date. Concurrent callers wait for the same view.
func (c *Cache) Recent(names Names) *League {
	c.recent.Lock()
	defer c.recent.Unlock()
	now := time.Now()
	if c.view != nil && !c.stale && (now.Before(c.fresh) || c.upToDate()) {
		return c.view
	}
	c.view, c.stale = c.newLeague(names, c.view), false
	c.fresh = time.Now().Add(min(max(viewEvery, 9*time.Since(now)), viewSeldom))
	return c.view
}

// upToDate reports whether the league has not changed since the view was built.
func (c *Cache) upToDate() bool {
	return c.view.Seq == c.src.Sequence() && c.view.WaitsFor == waitsFor(c.src) &&
		c.view.Resting == c.src.Resting() && c.view.Draining == c.src.Draining()
}

// Expire makes the next call of Recent build a new view, because its reader has changed the league.
func (c *Cache) Expire() {
	c.recent.Lock()
	defer c.recent.Unlock()
	c.stale = true
}
