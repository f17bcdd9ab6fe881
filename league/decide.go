package league

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// Each function below is a pure function of the state that returns the next events.

// Advance returns the events that follow from the state alone. Unplayable matches are recorded as such, matches without
// a live referee get one, a round with all results is closed, and the last one ends the league.
//
// keepBack stops an attempt from being ordered from its referee. If it returns false, the referee may have the order
// already, and its report counts even if a player has left.
func Advance(s *State, keepBack func(MatchAssigned) bool, drawSecret string) (events []Event) {
	if s.Completed() {
		return nil
	}
	if s.RoundOpen && s.left == 0 {
		return []Event{RoundClosed{s.Round}}
	}
	open := s.Open()
	if s.Started() && !s.RoundOpen && len(open) == 0 && isOver(s, drawSecret) {
		return []Event{Completed{drawSecret}}
	}
	for _, m := range open {
		if r, unplayable := unplayed(s, m); unplayable && keepBack(m.Attempt()) {
			events = append(events, r)
		}
	}
	if len(events) > 0 {
		return events
	}
	return assign(s, open)
}

// unplayed returns the result of a match that cannot be played because a player has left the league. ok is false if
// both players are still in the league.
func unplayed(s *State, m *Match) (ResultRecorded, bool) {
	left := func(id string) bool { return s.Agents[id].State == protocol.AgentShutdown }
	if !left(m.A) && !left(m.B) {
		return ResultRecorded{}, false
	}
	r := Result{Status: protocol.TechnicalLoss, Forfeits: map[string]string{}}
	for _, id := range []string{m.A, m.B} {
		if left(id) {
			r.Forfeits[id] = protocol.AgentShutdown
		} else {
			r.Winner = id
		}
	}
	return ResultRecorded{Match: m.ID, Result: r}, true
}

// isOver reports whether the newest round is the last one. secret is the secret of all draws, on which the pairings may
// depend.
func isOver(s *State, secret string) bool {
	if s.rules == nil {
		return s.Round == s.Schedule.Rounds()
	}
	_, more := nextRound(s, secret)
	return !more
}

// MayOpenNext reports whether a round may be opened now, if one follows.
func MayOpenNext(s *State) bool {
	if !s.Started() || s.Completed() || s.Paused || s.RoundOpen {
		return false
	}
	if s.rules == nil {
		return s.Round < s.Schedule.Rounds()
	}
	return len(s.again) == 0 || !s.format().Waits()
}

// OpenNext returns the events that open the next round, or nothing if no round can be opened now. A league without a
// bound on its rounds gets no round without a match: it waits for its players.
func OpenNext(s *State, drawSecret string, now time.Time) []Event {
	if !MayOpenNext(s) || roundDue(s, now).After(now) {
		return nil
	}
	opened := RoundOpened{s.Round + 1}
	if seasonOver(s, now) && len(s.again) == 0 {
		return []Event{Completed{drawSecret}}
	}
	if s.rules == nil {
		return []Event{opened}
	}
	next, more := nextRound(s, drawSecret)
	if !more || len(next.Pairs) == 0 && unbounded(s) {
		return nil
	}
	return []Event{next, opened}
}

// unbounded reports whether the league has no last round and ends only when the organizer orders it.
func unbounded(s *State) bool {
	n, known := s.format().Horizon(*s.rules, bareField(s, s.Round+1, nil))
	return !known && n == 0
}

// StartWith returns the events that start the league. unreached returns the reason for which an agent cannot be
// reached, or "". Unreachable players do not take part.
func StartWith(s *State, unreached func(id string) (why string)) (events []Event) {
	players := []string{}
	for _, role := range []protocol.Role{protocol.RoleReferee, protocol.RolePlayer} {
		for _, a := range s.Roster(role) {
			why := unreached(a.ID)
			switch {
			case a.State == protocol.AgentShutdown:
			case a.LostPlace():
				events = append(events, AgentState{a.ID, protocol.AgentSuspended, "somebody else is where it was"})
			case why != "":
				events = append(events, AgentState{a.ID, protocol.AgentSuspended, why})
			case role == protocol.RolePlayer:
				players = append(players, a.ID)
			}
		}
	}
	return append(events, Started{Players: players})
}

// RecordResult returns the events for a report: the result, and the resulting states of its players. A duplicate of the
// recorded result gives no events. check is called for a new result: its error refuses the report, and its note, a
// sentence about an unusual trait of the report, is recorded.
func RecordResult(
	s *State, referee string, r *protocol.MatchResultReport, check func(*Match) (note string, err error),
) ([]Event, error) {
	m := s.Matches[r.MatchID]
	assigned, ok := m.AssignedTo(referee, r.Attempt)
	if !ok {
		return nil, protocol.Errorf(protocol.MatchNotFound, "match %q was not assigned to %s", Clip(r.MatchID), referee)
	}
	result, err := normalise(r.Result, m.A, m.B)
	if err != nil {
		return nil, err
	}
	if m.Outcome != nil {
		if m.Outcome.says(result) {
			if s.ByMoves(m) && m.Outcome.Referee == referee && !s.Announced[ToldBy(m)] && r.RecordSHA256 != "" {
				return []Event{ToldBy(m)}, nil // it has notified the players, and holds their answers on record
			}
			return nil, nil
		}
		return nil, m.Reported("match %s has been recorded with another result")
	}
	note, err := check(m)
	if err != nil {
		return nil, err
	}
	if by := s.Agents[referee]; !by.Organiser && result.Status == protocol.TechnicalLoss {
		if newest := s.Agents[m.Attempt().Referee]; newest.Organiser {
			return nil, nil // the organiser's referee is checking it
		}
		if look := secondOpinion(s, m, referee, result); look != nil {
			return look, nil
		}
	}
	rec := ResultRecorded{
		Match: m.ID, Attempt: assigned.Attempt, Referee: assigned.Referee, Result: result, RecordSHA256: r.RecordSHA256,
		Moves: r.Moves, Signed: r.Signed, Note: ClipTo(protocol.Plain(note), maxNote),
	}
	if r.Fairness != nil {
		rec.DrawKey = r.Fairness.Key
	}
	if s.Agents[referee].Organiser { // third-party measurements are not comparable
		rec.Timing, rec.Usage = timingOf(r.AgentTiming, m.A, m.B), usageOf(r.AgentUsage, m.A, m.B)
	}
	changes := withCauses(afterResult(s, m, result), result, m.ID, r.Result.Details.Reason)
	return append([]Event{rec.detachedCopy()}, changes...), nil
}

// maxNote is the maximum length, in bytes, of the note on a recorded result. An untrusted referee chooses parts of that
// text.
const maxNote = 300

// timingOf returns the response times in told that are of the given players.
func timingOf(told map[string]protocol.Timing, players ...string) map[string]protocol.Timing {
	var out map[string]protocol.Timing
	for _, id := range players {
		if t, ok := told[id]; ok && t.Tries > 0 && t.AgentUS >= 0 && t.OverheadUS >= 0 {
			if out == nil {
				out = map[string]protocol.Timing{}
			}
			out[id] = t
		}
	}
	return out
}

// usageOf returns the language model usage in told of the given players.
func usageOf(told map[string]protocol.Usage, players ...string) map[string]protocol.Usage {
	var out map[string]protocol.Usage
	for _, id := range players {
		if u, ok := told[id]; ok && u.Plausible() {
			if out == nil {
				out = map[string]protocol.Usage{}
			}
			out[id] = u
		}
	}
	return out
}

// withCauses adds the causes of forfeits, as the referee reported them, to the state changes after a result. It redacts
// addresses, since the log is public.
func withCauses(events []Event, r Result, match, reason string) []Event {
	for i, e := range events {
		after, _ := e.(AgentState)
		cause := ClipTo(protocol.Plain(protocol.RedactText(protocol.ForfeitCause(reason, after.ID))), maxNote)
		switch code := r.Forfeits[after.ID]; {
		case cause == "" || code == protocol.EndpointNotAllowed.Code:
		case after.State == protocol.AgentSuspended:
			events[i] = AgentState{after.ID, after.State, match + ": " + cause}
		case after.State == protocol.AgentShutdown:
			events[i] = AgentState{after.ID, after.State, after.Why + ", the last in " + match + ": " + cause}
		}
	}
	return events
}

// suspensionReason returns the reason for which a player is suspended after a match. The sentence is for people: an
// audit compares only the states, so logs with sentences of older versions still verify.
func suspensionReason(code, match string) string {
	if code == protocol.EndpointNotAllowed.Code {
		return "its referee may not call its endpoint, as " + match + " showed; allow the referee to call that network"
	}
	return "it did not answer in " + match
}

// afterResult returns the state changes of a match's players after its result. A player that did not answer is
// suspended, one that reaches the forfeit limit is excluded, and a suspended one that answered is active again.
func afterResult(s *State, m *Match, r Result) (events []Event) {
	for _, id := range []string{m.A, m.B} {
		a := s.Agents[id]
		code, forfeited := r.Forfeits[id]
		_, chose := r.Choices[id]
		limit := s.Created.MaxForfeits
		switch {
		case a.State == protocol.AgentShutdown:
		case forfeited && limit > 0 && a.Forfeits+1 >= limit:
			events = append(events, AgentState{id, protocol.AgentShutdown, fmt.Sprintf("%d forfeits in a row",
				a.Forfeits+1)})
		case code == protocol.Timeout.Code || code == protocol.Connection.Code ||
			code == protocol.EndpointNotAllowed.Code:
			if a.State != protocol.AgentSuspended {
				events = append(events, AgentState{id, protocol.AgentSuspended, suspensionReason(code, m.ID)})
			}
		case a.State == protocol.AgentSuspended && (chose || r.Status != protocol.TechnicalLoss):
			events = append(events, AgentState{id, protocol.AgentActive, ""})
		}
	}
	return events
}

// ToPing lists the agents that the manager must ping: referees that hold matches or are suspended, suspended
// players that did not answer, and displaced native agents, which may be back at their former endpoint.
func ToPing(s *State) (ids []string) {
	holds := map[string]bool{}
	for _, match := range s.Open() {
		holds[match.Attempt().Referee] = true
	}
	if s.Completed() {
		return nil
	}
	displaced := func(a *Agent) bool {
		return a.Displaced != "" && a.Native() && a.State != protocol.AgentShutdown
	}
	for _, ref := range s.Roster(protocol.RoleReferee) {
		if holds[ref.ID] || ref.State == protocol.AgentSuspended || displaced(ref) {
			ids = append(ids, ref.ID)
		}
	}
	for _, id := range s.field {
		a := s.Agents[id]
		if a.State == protocol.AgentSuspended && a.Silent || displaced(a) {
			ids = append(ids, id) // it may be back before it is put out
		}
	}
	return ids
}

// Contest returns the event that contests a result. It returns nothing if the agent has contested that attempt
// already, or if the league is over.
func Contest(s *State, e Contested) []Event {
	m := s.Matches[e.Match]
	known := func(c Contested) bool { return c.By == e.By && c.Attempt == e.Attempt }
	if m == nil || m.Outcome == nil || s.Completed() || slices.ContainsFunc(m.Against, known) {
		return nil
	}
	e.Detail = ClipTo(protocol.Plain(e.Detail), 500)
	return []Event{e}
}

// LearnedOf returns an event for each third-party agent whose dialect is extended by the map dialects, which is keyed
// by id.
func LearnedOf(s *State, dialects map[string]string) (events []Event) {
	for _, id := range slices.Sorted(maps.Keys(dialects)) {
		a := s.Agents[id]
		if a == nil || a.Native() || len(dialects[id]) > maxDialect {
			continue
		}
		if merged := notation.Merge(a.Dialect, dialects[id]); merged != a.Dialect {
			events = append(events, DialectLearned{id, merged})
		}
	}
	return events
}
