package league

import (
	"cmp"
	"slices"

	"agentleague/protocol"
)

// Matches are judged by the organiser's referees, and where these have no room
// by guests: referees that somebody else runs. A guest never has a draw key.

// maxGuestMatches is how many matches a guest has at a time.
const maxGuestMatches = 16

// room is how many matches a referee takes at a time.
func (a *Agent) room() int {
	if a.Organiser {
		return max(a.Capacity, 1)
	}
	return min(max(a.Capacity, 1), maxGuestMatches)
}

// judges reports whether a referee may be given a match.
func (s *State) judges(ref *Agent) bool {
	return ref.Live() && !ref.lostPlace() && (ref.Organiser || s.Created.GuestsMayJudge)
}

// judgeFor chooses among referees who gets a match: the organiser's first as
// long as they have room, then whoever has the most, and a guest that sits with
// a player of the match only if nobody else is there.
func (s *State) judgeFor(m *Match, referees []*Agent, load map[string]int) *Agent {
	organisers := slices.DeleteFunc(slices.Clone(referees), func(a *Agent) bool { return !a.Organiser })
	if best := leastLoaded(organisers, load); best != nil && (load[best.ID] < best.room() || len(organisers) == len(referees)) {
		return best
	}
	apart := slices.DeleteFunc(slices.Clone(referees), func(a *Agent) bool { return !a.Organiser && s.neighbours(a, m) })
	return cmp.Or(leastLoaded(apart, load), leastLoaded(referees, load))
}

// neighbours reports whether a referee sits on the machine of a player of a
// match. On the league's own machine everybody does.
func (s *State) neighbours(ref *Agent, m *Match) bool {
	at := machine(ref.Place)
	return at != "localhost" && (at == machine(s.Agents[m.A].Place) || at == machine(s.Agents[m.B].Place))
}

// second returns the order to have an organiser's referee look at a forfeit
// that a guest reports, if there is one to ask.
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
