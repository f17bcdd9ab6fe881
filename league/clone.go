package league

import (
	"maps"
	"slices"
)

// Clone returns an independent copy. It shares the immutable parts, which are most of a long league: the events and the
// matches with a result. A later change of such a match replaces the match by a copy, see renew.
func (s *State) Clone() *State {
	c := *s
	c.registry, c.rounds = s.registry.clone(), s.rounds.clone()
	c.Announced, c.Orders, c.Heads = maps.Clone(s.Announced), slices.Clone(s.Orders), slices.Clone(s.Heads)
	return &c
}

// clone returns an independent copy.
func (r *registry) clone() registry {
	c := *r
	agents := map[*Agent]*Agent{nil: nil}
	agent := func(a *Agent) *Agent {
		if agents[a] == nil && a != nil {
			own := *a
			agents[a] = &own
		}
		return agents[a]
	}
	crowd := func(list []*Agent) []*Agent { return mapped(list, agent) }
	c.Agents, c.roster, c.free = mapValues(r.Agents, agent), mapValues(r.roster, crowd), maps.Clone(r.free)
	c.names = mapValues(r.names, func(of index) index { return mapValues(of, crowd) })
	c.reserved = mapValues(r.reserved, func(of map[string][]string) map[string][]string {
		return mapValues(of, slices.Clone[[]string])
	})
	c.keys, c.heirs = mapValues(r.keys, agent), mapValues(r.heirs, agent)
	c.natives, c.strange = mapValues(r.natives, crowd), mapValues(r.strange, crowd)
	c.invited = mapValues(r.invited, func(of map[string]*Invitation) map[string]*Invitation {
		return mapValues(of, func(i *Invitation) *Invitation { own := *i; return &own })
	})
	return c
}

// clone returns an independent copy that shares the matches with a result.
func (r *rounds) clone() rounds {
	c := *r
	open := map[*Match]*Match{}
	for _, m := range r.Matches {
		if m.Outcome == nil {
			own := *m
			own.Assigned = slices.Clone(m.Assigned)
			open[m] = &own
		}
	}
	match := func(m *Match) *Match {
		if own := open[m]; own != nil {
			return own
		}
		return m
	}
	matches := func(list []*Match) []*Match { return mapped(list, match) }
	c.Matches, c.of, c.sums = mapValues(r.Matches, match), mapValues(r.of, matches), maps.Clone(r.sums)
	c.byRound, c.walked, c.moved = mapped(r.byRound, matches), mapped(r.walked, matches), matches(r.moved)
	c.newest, c.told, c.again = matches(r.newest), matches(r.told), matches(r.again)
	if paired, ok := r.Schedule.(pairedRounds); ok {
		c.Schedule = slices.Clip(paired)
	}
	c.opened, c.closed, c.field = slices.Clone(r.opened), slices.Clone(r.closed), slices.Clone(r.field)
	c.pairing = r.pairing.clone()
	return c
}

// mapped returns the list of f(x) for each element x.
func mapped[T any](list []T, f func(T) T) []T {
	if list == nil {
		return nil
	}
	out := make([]T, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}

// mapValues returns a copy of m with f applied to each value.
func mapValues[K comparable, V any](m map[K]V, f func(V) V) map[K]V {
	out := make(map[K]V, len(m))
	for k, v := range m {
		out[k] = f(v)
	}
	return out
}
