package league

import (
	"cmp"
	"slices"

	"agentleague/protocol"
)

// The organiser's referees judge matches; when they have no capacity, guests do: referees that other parties run. A
// guest never has a draw key.

// judges reports whether a referee may be given a match.
func judges(s *State, ref *Agent) bool {
	return ref.Live() && !ref.LostPlace() && (ref.Organiser || s.Created.GuestsMayJudge)
}

// judgeFor chooses the referee of a match: the organiser's first while they have capacity, then the least loaded, and
// a guest on the machine of a player of the match only if there is no other.
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

// FreeOrganiser reports whether a referee of the organiser that has not tried a match has room for it now.
func FreeOrganiser(s *State, m *Match) bool {
	live, load := referees(s, s.Open())
	return slices.ContainsFunc(live, func(a *Agent) bool {
		_, tried := m.AssignedTo(a.ID, 0)
		return a.Organiser && !tried && load[a.ID] < a.Room()
	})
}

// sameMachine reports whether a referee runs on the machine of a player of a match. Agents on the league's own
// machine are exempt.
func sameMachine(s *State, ref *Agent, m *Match) bool {
	at := Machine(ref.Place)
	return at != "localhost" && (at == Machine(s.Agents[m.A].Place) || at == Machine(s.Agents[m.B].Place))
}

// second returns the order that an organiser's referee check a forfeit which a guest reports, if one is available.
func second(s *State, m *Match, by string, r Result) []Event {
	if r.Status != protocol.TechnicalLoss || s.Agents[by].Organiser || m.Attempt().Referee != by {
		return nil
	}
	live, load := referees(s, s.Open())
	best := leastLoaded(slices.DeleteFunc(live, func(a *Agent) bool { return !a.Organiser }), load)
	if best == nil {
		return nil
	}
	return []Event{MatchAssigned{Match: m.ID, Referee: best.ID, Attempt: m.next()}}
}

// ToldBy returns the event that the players of a guest's match have been notified of its result.
func ToldBy(m *Match) Announced { return Announced{"told " + m.ID, m.Round} }

// ByMoves reports whether the manager has drawn a result itself, from the moves that a guest showed.
func (s *State) ByMoves(m *Match) bool {
	out := m.Outcome
	if out == nil || out.Attempt == 0 || out.Result.Status == protocol.TechnicalLoss {
		return false
	}
	ref := s.Agents[out.Referee]
	return ref.Native() && !ref.Organiser
}
