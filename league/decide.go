package league

import (
	"fmt"
	"slices"

	"agentleague/protocol"
)

// What follows decides what happens. Each function looks at the state and
// returns events; it changes nothing and asks nobody.

// advance returns what follows from the state alone: unplayable matches are
// recorded as such, matches without a live referee get one, a round whose
// matches are all recorded is closed, and the last one ends the league.
func advance(s *State, inPlay func(match string) bool, drawSecret string) (events []Event) {
	if !s.RoundOpen {
		return nil
	}
	open := s.Open()
	if len(open) == 0 {
		events = append(events, RoundClosed{s.Round})
		if s.Round == s.Schedule.Rounds() {
			events = append(events, Completed{drawSecret})
		}
		return events
	}
	for _, m := range open {
		if r, unplayable := unplayed(s, m); unplayable && !inPlay(m.ID) {
			events = append(events, r)
		}
	}
	if len(events) > 0 {
		return events
	}
	return assign(s, open)
}

// unplayed returns the result of a match that one of its players has left the league before.
func unplayed(s *State, m *Match) (ResultRecorded, bool) {
	r := ResultRecorded{Match: m.ID, Result: Result{Status: protocol.TechnicalLoss, Forfeits: map[string]string{}}}
	for _, id := range []string{m.A, m.B} {
		if s.Agents[id].State == protocol.AgentShutdown {
			r.Result.Forfeits[id] = protocol.AgentShutdown
		} else {
			r.Result.Winner = id
		}
	}
	return r, len(r.Result.Forfeits) > 0
}

// assign gives each open match that has no live referee to one, in proportion
// to what each referee can take.
func assign(s *State, open []*Match) (events []Event) {
	load := map[string]int{}
	var waiting []*Match
	for _, m := range open {
		if ref := s.Agents[m.Attempt().Referee]; ref != nil && ref.Live() {
			load[ref.ID]++
		} else {
			waiting = append(waiting, m)
		}
	}
	live := slices.DeleteFunc(s.Roster(protocol.RoleReferee), func(a *Agent) bool { return !a.Live() })
	for _, m := range waiting {
		ref := leastLoaded(live, load)
		if ref == nil {
			break
		}
		load[ref.ID]++
		events = append(events, MatchAssigned{Match: m.ID, Referee: ref.ID, Attempt: m.Attempt().Attempt + 1})
	}
	return events
}

// leastLoaded returns the referee with the most room, the lowest id first.
func leastLoaded(referees []*Agent, load map[string]int) (best *Agent) {
	for _, ref := range referees {
		if best == nil || (load[ref.ID]+1)*max(best.Capacity, 1) < (load[best.ID]+1)*max(ref.Capacity, 1) {
			best = ref
		}
	}
	return best
}

// openNext returns the opening of the next round, if there is one to open.
func openNext(s *State) []Event {
	if !s.Started() || s.Completed() || s.Paused || s.RoundOpen || s.Round >= s.Schedule.Rounds() {
		return nil
	}
	return []Event{RoundOpened{s.Round + 1}}
}

// startWith returns the start of the league with those players that can be reached.
func startWith(s *State, reached func(id string) bool) (events []Event) {
	var players []string
	for _, a := range s.Agents {
		if a.State == protocol.AgentShutdown {
			continue
		}
		if !reached(a.ID) {
			continue
		}
		if a.Role == protocol.RolePlayer {
			players = append(players, a.ID)
		}
	}
	for _, role := range []protocol.Role{protocol.RoleReferee, protocol.RolePlayer} {
		for _, a := range s.Roster(role) {
			if a.Live() && !reached(a.ID) {
				events = append(events, AgentState{a.ID, protocol.AgentSuspended, "its endpoint could not be reached"})
			}
		}
	}
	slices.SortFunc(players, protocol.CompareIDs)
	return append(events, Started{players})
}

// recordResult returns what a report changes: the result, and how its players
// stand after it. A report that says what is known already changes nothing.
func recordResult(s *State, referee string, r *protocol.MatchResultReport, check func(Result, *Match) error) ([]Event, error) {
	m := s.Matches[r.MatchID]
	if m == nil || !slices.ContainsFunc(m.Assigned, func(a MatchAssigned) bool { return a.Referee == referee }) {
		return nil, protocol.Errorf(protocol.MatchNotFound, "match %q was not assigned to %s", r.MatchID, referee)
	}
	result, err := normalise(r.Result, m.A, m.B)
	if err != nil {
		return nil, err
	}
	if m.Outcome != nil {
		if m.Outcome.Result.same(result) {
			return nil, nil
		}
		return nil, protocol.Errorf(protocol.DuplicateReport, "match %s has been recorded with another result", m.ID).With("match_id", m.ID)
	}
	if err := check(result, m); err != nil {
		return nil, err
	}
	attempt := r.Attempt
	for _, a := range m.Assigned {
		if a.Referee == referee && (r.Attempt == 0 || a.Attempt == r.Attempt) {
			attempt = a.Attempt
		}
	}
	rec := ResultRecorded{Match: m.ID, Attempt: attempt, Referee: referee, Result: result, RecordSHA256: r.RecordSHA256, Moves: r.Moves}
	if r.Fairness != nil {
		rec.DrawKey = r.Fairness.Key
	}
	return append([]Event{rec}, afterResult(s, m, result)...), nil
}

// afterResult returns how the players of a match stand after its result: who
// was not heard is suspended, who has forfeited too often is out, and who
// played is in good order again.
func afterResult(s *State, m *Match, r Result) (events []Event) {
	for _, id := range []string{m.A, m.B} {
		a := s.Agents[id]
		code, forfeited := r.Forfeits[id]
		limit := s.Created.MaxForfeits
		switch {
		case a.State == protocol.AgentShutdown:
		case forfeited && limit > 0 && a.Forfeits+1 >= limit:
			events = append(events, AgentState{id, protocol.AgentShutdown, fmt.Sprintf("%d forfeits in a row", a.Forfeits+1)})
		case (code == protocol.Timeout.Code || code == protocol.Connection.Code) && a.State != protocol.AgentSuspended:
			events = append(events, AgentState{id, protocol.AgentSuspended, "it was not heard in " + m.ID})
		case r.Status != protocol.TechnicalLoss && a.State == protocol.AgentSuspended:
			events = append(events, AgentState{id, protocol.AgentActive, ""})
		}
	}
	return events
}
