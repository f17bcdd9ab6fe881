package prisonersdilemma

import (
	"fmt"
	"strings"

	"agentleague/game"
)

// Seen is the context of a view: the steps so far, from a seat's perspective. For a spectator the players are "first"
// and "second".
type Seen struct {
	Past   []map[string]Action `json:"past"`   // by side, the oldest first
	Totals map[string]int      `json:"totals"` // by side

	Board        [][]string `json:"board"` // the same as a sheet: a row for each side, a column for each step and the next
	BoardRows    []string   `json:"board_rows"`
	BoardColumns []string   `json:"board_columns"`
}

// seen returns a seat's view.
func (s *state) seen(seat game.Seat) Seen {
	width := min(len(s.past)+1, maxSteps) // the next step has a column too
	out := Seen{Past: []map[string]Action{}, Totals: game.BySide(seat, s.totals()), BoardColumns: game.Numbers(width)}
	out.Board, out.BoardRows = game.Sheet(seat, func(side game.Seat) []string { return s.row(side, width) })
	for _, a := range s.past {
		out.Past = append(out.Past, game.BySide(seat, a))
	}
	return out
}

// row returns a seat's actions as a row of the score sheet: C or D in each step.
func (s *state) row(seat game.Seat, width int) []string {
	cells := make([]string, width)
	for i, a := range s.past {
		cells[i] = strings.ToUpper(string(a[seat][0]))
	}
	return cells
}

// result returns the outcome of a finished match, and the points of each step.
func (s *state) result() game.Outcome {
	n := s.totals()
	var payoffs [][2]int
	for _, a := range s.past {
		payoffs = append(payoffs, [2]int{payoff(a[0], a[1]), payoff(a[1], a[0])})
	}
	o := game.Outcome{
		Scores: []int{n[0], n[1]},
		Reason: fmt.Sprintf("both scored %d in %d steps", n[0], s.steps),
		Details: map[string]any{
			"steps": s.steps, "final_totals": []int{n[0], n[1]}, "payoffs": payoffs,
			"board": [][]string{s.row(0, s.steps), s.row(1, s.steps)}, "board_rows": []string{"first", "second"},
			"board_columns": game.Numbers(s.steps),
		},
	}
	if winner, won := o.Winner(); won {
		o.Reason = fmt.Sprintf("{%d} scored %d in %d steps, {%d} %d", winner, n[winner], s.steps, 1-winner, n[1-winner])
	}
	return o
}
