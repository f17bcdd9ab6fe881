package web

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"agentleague/league/view"
)

// A site serves the pages of one manager.
type site struct {
	Options
	front     front // its address for external clients
	templates templates
	pages     []page   // all of them
	actions   []action // all actions
	sessions  *sessions
	logins    loginThrottle
	owners    *owners
	checks    *checks
	proofs    *proofs
	glimpses  *glimpses

	viewers atomic.Int64
	reading chan struct{} // has an element for each viewer that is reading the log
	packing chan struct{} // and for each client that is downloading an archive

	mu     sync.Mutex
	caches map[string]*watched        // by league
	heads  map[string]view.LeagueHead // the last list entries of leagues
}

// manager returns the league of a request, or a problem.
func (s *site) manager(r *http.Request) (Season, error) {
	id := r.PathValue("league")
	m, ok := s.Host.League(id)
	if !ok {
		return nil, notFound("There is no league " + said(id, 64) + " here.")
	}
	return m, nil
}

// isAdmin reports whether a request is the admin's.
func (s *site) isAdmin(r *http.Request) bool {
	if s.Options.Admin == nil {
		return false
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return s.Options.Admin(token) == nil
	}
	c, err := r.Cookie(cookieName(r))
	return err == nil && s.sessions.has(c.Value)
}

// cache returns the data that the viewers of a league share. A reopened league gets a new cache.
func (s *site) cache(m Season) *watched {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := m.ID()
	c := s.caches[id]
	if c == nil || c.m != m {
		c = &watched{m: m, hub: newHub(m)}
		s.caches[id] = c
	}
	return c
}

// changed expires the cached view, so that the actor sees the effect.
func (s *site) changed(r *http.Request) {
	if m, err := s.manager(r); err == nil {
		m.View().Expire()
	}
}
