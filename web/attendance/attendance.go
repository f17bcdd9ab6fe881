// Package attendance is the view of the roster page: the students of a class, each with the state of its agent, the
// cause, and the orders that help.
//
//	[]roster.Student ─▶ New ─▶ View ─▶ template "roster", JSON
package attendance

import (
	"fmt"
	"strings"

	"agentleague/internal/roster"
	"agentleague/league"
	"agentleague/league/view"
)

// A View is the roster of a league.
type View struct {
	view.LeagueHead
	Seq      uint64 `json:"sequence"`          // of the log, up to which it counts
	Missing  string `json:"missing,omitempty"` // missing conditions for the start
	Closed   int    `json:"rounds_over"`
	Students []Row  `json:"students"`
}

// A Row is a student with the orders that help.
type Row struct {
	roster.Student
	Acts []Act `json:"orders"`
}

// An Act is an order with its confirmation.
type Act struct {
	Order  string      `json:"order"` // the last part of its path
	Label  string      `json:"-"`
	Effect string      `json:"effect"`
	Fields [][2]string `json:"-"` // of the form
}

// New returns the view of the students of a league.
func New(head view.LeagueHead, seq uint64, missing string, s *league.State, students []roster.Student) View {
	v := View{LeagueHead: head, Seq: seq, Missing: missing, Closed: roster.RoundsOver(s), Students: []Row{}}
	for _, one := range students {
		v.Students = append(v.Students, Row{one, actsOf(s, one)})
	}
	return v
}

// Title returns the page title.
func (View) Title() string { return "Roster" }

// A Count is a state and the number of its students.
type Count struct {
	State string
	N     int
}

// Counts returns the states that occur, in a fixed order.
func (v View) Counts() (out []Count) {
	for _, state := range []string{roster.Present, roster.Missing, roster.Failing, roster.Resting, roster.Left} {
		n := 0
		for _, row := range v.Students {
			if row.State == state {
				n++
			}
		}
		if n > 0 {
			out = append(out, Count{state, n})
		}
	}
	return out
}

// tone returns the style class of a state.
func tone(state string) string {
	return map[string]string{roster.Present: "good", roster.Failing: "bad", roster.Missing: "warn", roster.Resting: "info"}[state]
}

// Tone returns the style class of the row's state.
func (r Row) Tone() string { return tone(r.State) }

// Tone returns the style class of the counted state.
func (c Count) Tone() string { return tone(c.State) }

// Differs reports whether the agent has another public name than the student.
func (r Row) Differs() bool { return r.ID != "" && r.Called != r.Name }

// actsOf returns the orders that help a student. No order helps after the end of the league.
func actsOf(s *league.State, one roster.Student) []Act {
	acts := []Act{}
	if s.Completed() {
		return acts
	}
	player := [2]string{"player_id", one.ID}
	switch one.State {
	case roster.Missing:
		acts = append(acts, Act{"invite", "Show its address", "The address and the QR code of " + one.Agent +
			" are shown. Any program that has the address joins under this name.", [][2]string{{"role", "player"}, {"names", one.Agent}}})
	case roster.Left:
		acts = append(acts, Act{"readmit", "Take it back", "It plays again from the next round on, once its program runs. " +
			"Matches that it lost stay lost, unless they are played again.", [][2]string{{"agent_id", one.ID}}})
	case roster.Resting:
		acts = append(acts, Act{"rest", "End its rest", "It plays again from the next round on.", [][2]string{player, {"rounds", "0"}}})
	case roster.Failing:
		acts = append(acts, letIn(one)...)
	}
	if one.State == roster.Failing && s.Started() && !s.Created.PairedDraws {
		acts = append(acts, Act{"rest", "Let it rest", "It is not paired in the next round: no forfeit, and no points. " +
			"A match in play goes on.", [][2]string{player, {"rounds", "1"}}})
	}
	if one.Forfeit != "" && one.State != roster.Left {
		acts = append(acts, Act{"annul", "Play " + one.Forfeit + " again", "The result of " + one.Forfeit + " is struck, and the match " +
			"is played again with a new draw. The log keeps the old result.", [][2]string{{"match_id", one.Forfeit}, {"reason", "a forfeit of " + one.ID + " is played again"}}})
	}
	return acts
}

// letIn returns the order that admits a program that was refused as the student's agent.
func letIn(one roster.Student) []Act {
	if one.Refusal == nil {
		return nil
	}
	now := "does not answer"
	if one.Refusal.Alive {
		now = "still answers"
	}
	return []Act{{"readmit", "Let it in", fmt.Sprintf("The program that called from %s gets the place of %s when it registers again. "+
		"The program that had the place %s, and loses it.", one.Refusal.Address, one.ID, now),
		[][2]string{{"agent_id", one.ID}, {"code", one.Refusal.Code}}}}
}

// Answer returns the text of the button that confirms the order.
func (a Act) Answer() string { return "Yes, " + strings.ToLower(a.Label[:1]) + a.Label[1:] }

// Key identifies the act on the page.
func (a Act) Key() string {
	parts := []string{a.Order}
	for _, f := range a.Fields {
		parts = append(parts, f[1])
	}
	return strings.Join(parts, "-")
}
