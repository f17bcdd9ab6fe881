package league

import (
	"slices"

	"agentleague/league/location"
	"agentleague/protocol"
)

// The organiser's referees judge matches. If they have no capacity, guest referees do: referees of other parties. A
// guest referee never receives a draw key.

// FreeOrganiser reports whether one of the organiser's referees has capacity for match m and was not assigned to it
// before.
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
	at := location.Machine(ref.Place)
	return at != "localhost" && (at == location.Machine(s.Agents[m.A].Place) || at == location.Machine(s.Agents[m.B].Place))
}

// secondOpinion returns a further assignment of a match if a guest referee reports a forfeit, so that an organiser's
// referee checks it. It returns nothing if none is available.
func secondOpinion(s *State, m *Match, by string, r Result) []Event {
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

// ToldBy returns the event which records that the guest referee of match m has sent the result to the players.
func ToldBy(m *Match) Announced { return Announced{"told " + m.ID, m.Round} }

// ByMoves reports whether the manager computed the result of a match from the moves that a guest referee reported.
func (s *State) ByMoves(m *Match) bool {
	out := m.Outcome
	if out == nil || out.Attempt == 0 || out.Result.Status == protocol.TechnicalLoss {
		return false
	}
	ref := s.Agents[out.Referee]
	return ref.Native() && !ref.Organiser
}
