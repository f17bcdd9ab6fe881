package web

import (
	"net/http"
	"sync"
	"time"

	"agentleague/league/manager"
)

// A desk is what all viewers of a league share: its view, which is made at most once for each change, and its hub.
type desk struct {
	m   *manager.Manager
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

// desk returns the desk of a league.
func (s *site) desk(m *manager.Manager) *desk {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.desks[m]
	if d == nil {
		d = &desk{m: m, hub: newHub(m)}
		s.desks[m] = d
	}
	return d
}

// changed has the next view made anew: who has done something wants to see it.
func (s *site) changed(r *http.Request) {
	if m, err := s.manager(r); err == nil {
		s.desk(m).forget()
	}
}

// look returns the league as it stands. Whoever asks meanwhile waits for the same view.
func (d *desk) look(s *site) *LeagueView {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	if d.view != nil && !d.stale && (now.Before(d.fresh) || d.view.Sequence == d.m.Sequence() && d.view.Resting == d.m.Resting() && d.view.Draining == d.m.Draining()) {
		return d.view
	}
	d.view, d.stale = s.newLeagueView(d.m, d.view), false
	d.fresh = time.Now().Add(min(max(viewEvery, 9*time.Since(now)), viewSeldom))
	return d.view
}

// forget has the next view made anew.
func (d *desk) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stale = true
}
