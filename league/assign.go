package league

import (
	"cmp"
	"slices"

	"agentleague/protocol"
)

// assign assigns each open match without a live referee to one, in proportion to the referees' capacities.
func assign(s *State, open []*Match) (events []Event) {
	waiting := slices.DeleteFunc(slices.Clone(open), func(m *Match) bool {
		ref := s.Agents[m.Attempt().Referee]
		return ref != nil && mayJudge(s, ref)
	})
	if len(waiting) == 0 {
		return nil
	}
	live, load := referees(s, open)
	for _, m := range waiting {
		ref := judgeFor(s, m, live, load)
		if ref == nil {
			break
		}
		load[ref.ID]++
		events = append(events, MatchAssigned{Match: m.ID, Referee: ref.ID, Attempt: m.next()})
	}
	return events
}

// Reassign returns the event that takes attempt a from its referee and assigns the match to a referee that has not had
// it yet. It returns no event if every live referee has had it.
func Reassign(s *State, a MatchAssigned) []Event {
	m := s.Matches[a.Match]
	if m.Outcome != nil || m.Attempt() != a {
		return nil
	}
	live, load := referees(s, s.Open())
	live = slices.DeleteFunc(live, func(ref *Agent) bool {
		_, asked := m.AssignedTo(ref.ID, 0)
		return asked
	})
	ref := judgeFor(s, m, live, load)
	if ref == nil {
		return nil
	}
	return []Event{MatchAssigned{Match: m.ID, Referee: ref.ID, Attempt: a.Attempt + 1}}
}

// AssignAnew is like Reassign for an attempt that its referee does not report, but if no other referee is free, the
// same referee gets the match again, as a new attempt.
func AssignAnew(s *State, a MatchAssigned) []Event {
	match := s.Matches[a.Match]
	if events := Reassign(s, a); events != nil || match.Outcome != nil || match.Attempt() != a ||
		!s.Agents[a.Referee].Live() {
		return events
	}
	return []Event{MatchAssigned{Match: a.Match, Referee: a.Referee, Attempt: a.Attempt + 1}}
}

// referees returns the live referees, and the number of open matches of each.
func referees(s *State, open []*Match) (live []*Agent, load map[string]int) {
	load = map[string]int{}
	for _, m := range open {
		load[m.Attempt().Referee]++
	}
	return slices.DeleteFunc(s.Roster(protocol.RoleReferee), func(a *Agent) bool { return !mayJudge(s, a) }), load
}

// mayJudge reports whether a referee may be assigned matches.
func mayJudge(s *State, ref *Agent) bool {
	return ref.Live() && !ref.LostPlace() && (ref.Organiser || s.Created.GuestsMayJudge)
}

// judgeFor chooses the referee of a match. It prefers the organiser's referees while they have capacity, then the least
// loaded one. A guest referee on the same machine as a player of the match is the last choice.
func judgeFor(s *State, m *Match, referees []*Agent, load map[string]int) *Agent {
	organisers := slices.DeleteFunc(slices.Clone(referees), func(a *Agent) bool { return !a.Organiser })
	best := leastLoaded(organisers, load)
	if best != nil && (load[best.ID] < best.Room() || len(organisers) == len(referees)) {
		return best
	}
	apart := slices.DeleteFunc(slices.Clone(referees), func(a *Agent) bool {
		return !a.Organiser && sameMachine(s, a, m)
	})
	return cmp.Or(leastLoaded(apart, load), leastLoaded(referees, load))
}

// leastLoaded returns the referee with the lowest ratio of load, including one more match, to capacity; among equals
// the one with the lowest id. It returns nil if referees is empty.
func leastLoaded(referees []*Agent, load map[string]int) (best *Agent) {
	for _, ref := range referees {
		if best == nil || (load[ref.ID]+1)*best.Room() < (load[best.ID]+1)*ref.Room() {
			best = ref
		}
	}
	return best
}
