package roster

import (
	"cmp"
	"fmt"
	"slices"

	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
)

// The states of a student in the league.
const (
	Present = "present"
	Missing = "missing" // its program has not joined
	Left    = "left"    // its agent is out of the league
	Resting = "resting" // its agent takes no part, without forfeits
	Failing = "failing" // its agent was refused, cannot be reached, or lost its newest match by forfeit
)

// A Student is a row of the roster with its agent in the league.
type Student struct {
	Row      `json:"-"`
	Name     string          `json:"name"`
	ID       string          `json:"player_id,omitempty"` // "": no agent has joined
	Called   string          `json:"agent"`               // the display name of the agent, or that of the invitation
	State    string          `json:"state"`
	Cause    string          `json:"cause,omitempty"` // of the state, for people
	Present  int             `json:"rounds_present"`
	Points   int             `json:"points"`
	Refusal  *league.Refusal `json:"-"`                 // of a program that claims to be the agent; nil: none
	Forfeit  string          `json:"forfeit,omitempty"` // the newest match that the agent lost by forfeit
	Unlisted bool            `json:"unlisted,omitempty"`
}

// Facts are those of a running league that its log does not record. The zero value has none.
type Facts struct {
	Health   map[string]league.Health // by player
	Refusals []league.Refusal         // the newest last
}

// Students returns the students of a roster with their agents, in the order of the file, and then the players that are
// not in it. An empty roster stands for the league's invitations.
func (r Roster) Students(s *league.State, facts Facts) (out []Student) {
	points, listed := map[string]int{}, map[string]bool{}
	for _, row := range s.Standings() {
		points[row.PlayerID] = row.Points
	}
	add := func(row Row, id string, unlisted bool) {
		one := Student{Row: row, Name: row.Name, ID: id, Called: row.Agent, Unlisted: unlisted}
		one.judge(s, facts)
		one.Present, one.Points, listed[id] = Attended(s, id), points[id], true
		out = append(out, one)
	}
	for _, row := range r.orInvited(s) {
		if row.Name != "" {
			add(row, agentOf(s, row), false)
		}
	}
	for _, a := range s.Roster(protocol.RolePlayer) {
		if !listed[a.ID] {
			add(Row{Name: a.Name, Agent: a.Name}, a.ID, true)
		}
	}
	return out
}

// orInvited returns the rows of a roster, or of an empty one the invited players.
func (r Roster) orInvited(s *league.State) []Row {
	if len(r.Rows) > 0 {
		return r.Rows
	}
	var names []string
	s.Invited(protocol.RolePlayer, func(name string) { names = append(names, name) })
	slices.Sort(names)
	return Named(names...).Rows
}

// Named returns a roster without a file.
func Named(names ...string) (r Roster) {
	r.Header = []string{"name"}
	for _, name := range names {
		r.Rows = append(r.Rows, Row{Name: name, Agent: name, Cells: []string{name}})
	}
	return r
}

// agentOf returns the id of a student's agent: the one that joined by its invitation, also after it was renamed.
func agentOf(s *league.State, row Row) string {
	if i := s.Reservation(protocol.RolePlayer, row.Agent); i != nil {
		return i.Agent
	}
	if a := s.Named(protocol.RolePlayer, row.Agent); a != nil {
		return a.ID
	}
	return ""
}

// judge sets the state and its cause.
func (one *Student) judge(s *league.State, facts Facts) {
	a := s.Agents[one.ID]
	if a == nil {
		one.State, one.Cause = Missing, missingWhy(s)
		return
	}
	one.Called = a.Name
	one.refusal(facts)
	one.Forfeit = forfeitOf(s, one.ID)
	rests, now := s.RestsUntil(one.ID), RoundsOver(s)+1
	switch lost := newestForfeit(s, one.ID); {
	case a.State == protocol.AgentShutdown:
		one.State, one.Cause = Left, cmp.Or(a.Why, "it is out of the league")
	case s.Completed() && lost == "":
		one.State = Present
	case one.Refusal != nil && !s.Completed():
		one.State, one.Cause = Failing, "a program was refused as "+one.ID+": it could not prove that it is this agent, as when "+
			"it was started in another folder"
	case rests >= now && !s.Completed():
		one.State, one.Cause = Resting, fmt.Sprintf("it takes no part up to round %d", rests)
	default:
		one.State, one.Cause = Failing, trouble(s, a, facts.Health[one.ID], lost)
		if one.Cause == "" {
			one.State = Present
		}
	}
	one.Cause = view.Clean(protocol.RedactText(one.Cause), 300)
}

// missingWhy returns why a student has no agent.
func missingWhy(s *league.State) string {
	if s.Completed() {
		return "its program never joined"
	}
	if err := (league.Scheduling{}).MayJoin(s); s.Started() && err != nil {
		return "its program has not joined, and no longer can: " + err.Error()
	}
	return "its program has not joined"
}

// trouble returns what is wrong with an agent of a league, or "".
func trouble(s *league.State, a *league.Agent, h league.Health, lost string) string {
	switch {
	case s.Completed():
		return lost
	case h.Unreached != "":
		return h.Unreached
	case a.LostPlace():
		return a.LostWhy()
	case !a.Live():
		return cmp.Or(a.Why, "its state is "+view.Words(a.State))
	}
	return lost
}

// refusal finds the newest program that was refused as the agent.
func (one *Student) refusal(facts Facts) {
	for i := range facts.Refusals {
		if facts.Refusals[i].AgentID == one.ID {
			one.Refusal = &facts.Refusals[i]
		}
	}
}

// newestForfeit returns why a player lost its newest finished match by forfeit, or "".
func newestForfeit(s *league.State, id string) string {
	form := view.Form(s, id, 1)
	if len(form) == 0 || form[0].Letter != "F" {
		return ""
	}
	return "it lost " + form[0].Match + " by forfeit: " + protocol.ForfeitMeaning(view.Clean(form[0].Code, 160))
}

// forfeitOf returns the newest match that a player lost by forfeit, or "".
func forfeitOf(s *league.State, id string) string {
	for _, m := range slices.Backward(s.MatchesOf(id)) {
		if forfeited(m, id) {
			return m.ID
		}
	}
	return ""
}

func forfeited(m *league.Match, id string) bool {
	if m.Outcome == nil {
		return false
	}
	_, lost := m.Outcome.Result.Forfeits[id]
	return lost
}

// RoundsOver returns the number of closed rounds.
func RoundsOver(s *league.State) int {
	if s.RoundOpen {
		return s.Round - 1
	}
	return s.Round
}

// Attended returns the number of closed rounds in which a player took part: it played a match without forfeiting it, or
// had a bye. A bye does not count if the player forfeited its match before that, or without one, its first match.
func Attended(s *league.State, id string) (n int) {
	matches := s.MatchesOf(id)
	for round := range RoundsOver(s) {
		next := slices.IndexFunc(matches, func(m *league.Match) bool { return m.Round > round+1 })
		if next < 0 {
			next = len(matches)
		}
		before := max(next-1, 0) // of this round, or the nearest
		switch bye := slices.Contains(s.Schedule.Byes(round+1), id); {
		case len(matches) == 0 && bye:
			n++
		case len(matches) > 0 && (bye || matches[before].Round == round+1) && matches[before].Outcome != nil && !forfeited(matches[before], id):
			n++
		}
	}
	return n
}
