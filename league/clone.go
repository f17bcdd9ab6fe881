package league

import (
	"maps"
	"slices"
)

// Clone returns an independent copy. Immutable parts are shared: the facts of the log, and matches with a result; a
// later change replaces such a match, see renew. That is most of a long league.
func (s *State) Clone() *State {
	c := *s
	agents := map[*Agent]*Agent{nil: nil}
	agent := func(a *Agent) *Agent {
		if agents[a] == nil && a != nil {
			own := *a
			agents[a] = &own
		}
		return agents[a]
	}
	open := map[*Match]*Match{}
	for _, m := range s.Matches {
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

	c.Agents, c.Matches, c.Announced = mapValues(s.Agents, agent), mapValues(s.Matches, match), maps.Clone(s.Announced)
	crowd := func(list []*Agent) []*Agent { return mapped(list, agent) }
	c.names = mapValues(s.names, func(of index) index { return mapValues(of, crowd) })
	c.reserved = mapValues(s.reserved, func(of map[string][]string) map[string][]string {
		return mapValues(of, slices.Clone[[]string])
	})
	c.roster = mapValues(s.roster, crowd)
	c.free, c.of, c.sums = maps.Clone(s.free), mapValues(s.of, matches), maps.Clone(s.sums)
	c.rounds, c.walked, c.moved = mapped(s.rounds, matches), mapped(s.walked, matches), matches(s.moved)
	c.newest, c.told, c.again = matches(s.newest), matches(s.told), matches(s.again)
	c.Orders, c.opened, c.closed, c.Heads = slices.Clone(s.Orders), slices.Clone(s.opened), slices.Clone(s.closed),
		slices.Clone(s.Heads)
	c.keys, c.heirs = mapValues(s.keys, agent), mapValues(s.heirs, agent)
	c.natives, c.strange = mapValues(s.natives, crowd), mapValues(s.strange, crowd)
	c.invited = mapValues(s.invited, func(of map[string]*Invitation) map[string]*Invitation {
		return mapValues(of, func(i *Invitation) *Invitation { own := *i; return &own })
	})
	return &c
}

// mapped is a list with every element replaced.
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

// mapValues is a map with every value replaced.
func mapValues[K comparable, V any](m map[K]V, f func(V) V) map[K]V {
	out := make(map[K]V, len(m))
	for k, v := range m {
		out[k] = f(v)
	}
	return out
}
