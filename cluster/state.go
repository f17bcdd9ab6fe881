package cluster

import (
	"maps"
	"slices"
)

// clusterState is the fold of the cluster's log. The zero value is the state of an empty log.
type clusterState struct {
	members map[string]joinedEvent // by name
	newest  joinedEvent            // of all that ever joined, the one with the highest format
	leagues map[string]*League
	order   []string // leagues, the oldest first
}

// A League is a league of the cluster.
type League struct {
	ID       string
	Settings []byte // its file of the configuration
	Owner    string // the owning member; "": none at the moment
	Over     bool
	Archived bool
}

// Apply applies an event. An event without effect, such as the end of an unknown league, changes nothing: a member of
// a later version may have written it.
func (s *clusterState) Apply(e event) {
	switch {
	case e.Joined != nil:
		if s.members == nil {
			s.members = map[string]joinedEvent{}
		}
		s.members[e.Joined.Member] = *e.Joined
		if e.Joined.format() >= s.newest.format() {
			s.newest = *e.Joined
		}
	case e.Left != nil:
		s.leave(e.Left.Member)
	case e.Made != nil:
		s.make(*e.Made)
	case e.Given != nil:
		if _, here := s.members[e.Given.Member]; here {
			s.change(e.Given.League, func(l *League) { l.Owner = e.Given.Member })
		}
	case e.Over != nil:
		s.change(e.Over.League, func(l *League) { l.Over = true })
	case e.Archived != nil:
		s.change(e.Archived.League, func(l *League) { l.Archived = !e.Archived.Undone })
	}
}

// leave removes a member. Its leagues have no owner until another member adopts them.
func (s *clusterState) leave(name string) {
	delete(s.members, name)
	for _, l := range s.leagues {
		if l.Owner == name {
			l.Owner = ""
		}
	}
}

// make adds a league. It does nothing if the league exists.
func (s *clusterState) make(m madeEvent) {
	if s.leagues[m.League] != nil {
		return
	}
	if s.leagues == nil {
		s.leagues = map[string]*League{}
	}
	s.leagues[m.League] = &League{ID: m.League, Settings: m.Settings}
	s.order = append(s.order, m.League)
}

// change changes a league, if it exists.
func (s *clusterState) change(id string, how func(*League)) {
	if l := s.leagues[id]; l != nil {
		how(l)
	}
}

// Members lists the members, by name.
func (s *clusterState) Members() []string { return slices.Sorted(maps.Keys(s.members)) }

// Address returns the address of a member; "" for a process that is not a member.
func (s *clusterState) Address(member string) string { return s.members[member].Address }

// League returns one of the leagues.
func (s *clusterState) League(id string) (League, bool) {
	l := s.leagues[id]
	if l == nil {
		return League{}, false
	}
	return *l, true
}

// Leagues lists all leagues, the oldest first. The caller must not change their settings.
func (s *clusterState) Leagues() []League {
	out := make([]League, len(s.order))
	for i, id := range s.order {
		out[i] = *s.leagues[id]
	}
	return out
}

// clone returns an independent copy of the state. Settings are shared, since their bytes are immutable.
func (s *clusterState) clone() *clusterState {
	c := &clusterState{
		members: maps.Clone(s.members), newest: s.newest,
		leagues: make(map[string]*League, len(s.leagues)), order: slices.Clone(s.order),
	}
	for id, l := range s.leagues {
		own := *l
		c.leagues[id] = &own
	}
	return c
}
