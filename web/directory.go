package web

import (
	"net/http"
	"strings"
	"sync"

	"agentleague/league/view"
)

// common holds the data that the parts of a site share.
type common struct {
	*Options
	*access
	*directory
	viewers *audience
}

// A directory finds leagues, and stores for each the data that all of its viewers share. It is safe for concurrent use.
type directory struct {
	host  Host
	state func(id string) (state string, changing bool) // nil: every state may be outdated
	names view.Names

	mu     sync.Mutex
	opened map[string]*watched        // by league
	heads  map[string]view.LeagueHead // the last list entries of leagues
}

// A watched holds the data of one league that all of its viewers share: its events and its cached view.
type watched struct {
	m   Season
	hub *hub

	mu    sync.Mutex
	drawn *LeagueView
}

func newDirectory(o *Options) *directory {
	return &directory{host: o.Host, state: o.State, names: view.Names{League: o.Title, Game: o.Game},
		opened: map[string]*watched{}, heads: map[string]view.LeagueHead{}}
}

// of returns the league of a request at a path, or a problem; nil if the path has none.
func (c *directory) of(r *http.Request, path string) (Season, error) {
	if !strings.Contains(path, "{league}") {
		return nil, nil
	}
	id := r.PathValue("league")
	if m, ok := c.host.League(id); ok {
		return m, nil
	}
	return nil, notFound("There is no league " + said(id, 64) + " here.")
}

// watched returns the shared data of a league. A reopened league gets new data.
func (c *directory) watched(m Season) *watched {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := m.ID()
	w := c.opened[id]
	if w == nil || w.m != m {
		w = &watched{m: m, hub: &hub{m: m}}
		c.opened[id] = w
	}
	return w
}

// look returns the view of a league, which is computed once for all viewers.
func (c *directory) look(m Season) *LeagueView {
	l, w := m.View().Recent(c.names), c.watched(m)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.drawn == nil || w.drawn.of != l {
		w.drawn = newLeagueView(l)
	}
	return w.drawn
}

// changed returns the summary of a league after a change.
func (c *directory) changed(m Season) view.LeagueHead {
	m.View().Expire()
	return c.look(m).LeagueHead
}

// head returns the list entry of a league. A closed league that was listed before is not opened for it, because it
// cannot have changed. With brief, the entry has only id and state. ok is false if the league cannot be opened.
func (c *directory) head(id string, brief bool) (head view.LeagueHead, ok bool) {
	state, changing := "", true
	if c.state != nil {
		state, changing = c.state(id)
	}
	if brief {
		return view.LeagueHead{ID: id, State: state, Champions: []view.Player{}}, true
	}
	c.mu.Lock()
	head, known := c.heads[id]
	c.mu.Unlock()
	if known && !changing && head.State == state {
		return head, true
	}
	m, ok := c.host.League(id)
	if !ok {
		return view.LeagueHead{ID: id, Name: id, State: state, Champions: []view.Player{}}, false
	}
	head = c.look(m).LeagueHead
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heads[id] = head
	return head, true
}
