package rockpaperscissors

import (
	"fmt"

	"agentleague/game"
)

// seenContext is the context of a view: the throws so far, from a seat's perspective. For a spectator the players are
// "first" and "second".
type seenContext struct {
	Throws []map[string]throw `json:"throws"` // by side, the oldest first
	Wins   map[string]int     `json:"wins"`   // by side
	Target int                `json:"wins_needed"`
	Most   int                `json:"most_throws"`

	Board        [][]string `json:"board"` // the same as a sheet: a row for each side, a column for each throw
	BoardRows    []string   `json:"board_rows"`
	BoardColumns []string   `json:"board_columns"`
}

// seen returns a seat's view.
func (s *state) seen(seat game.Seat) seenContext {
	out := seenContext{
		Throws: []map[string]throw{}, Wins: game.BySide(seat, s.wins()), Target: targetWins, Most: maxThrows,
		BoardColumns: game.Numbers(maxThrows),
	}
	out.Board, out.BoardRows = game.Sheet(seat, s.row)
	for _, t := range s.past {
		out.Throws = append(out.Throws, game.BySide(seat, t))
	}
	return out
}

// row returns a seat's throws as a row of the score sheet, with a mark at each that won or lost.
func (s *state) row(seat game.Seat) []string {
	cells := make([]string, maxThrows)
	for i, t := range s.past {
		cells[i] = string(t[seat])
		switch {
		case t[seat].Beats(t[1-seat]):
			cells[i] += " ✓"
		case t[1-seat].Beats(t[seat]):
			cells[i] += " ✗"
		}
	}
	return cells
}

// result returns the outcome of a match that is over.
func (s *state) result() game.Outcome {
	n := s.wins()
	o := game.Outcome{
		Scores: []int{n[0], n[1]},
		Reason: fmt.Sprintf("both won %d of %d throws", n[0], len(s.past)),
		Details: map[string]any{
			"throws_won": []int{n[0], n[1]},
			"board":      [][]string{s.row(0), s.row(1)}, "board_rows": []string{"first", "second"},
			"board_columns": game.Numbers(maxThrows),
		},
	}
	if winner, won := o.Winner(); won {
		o.Reason = fmt.Sprintf("{%d} won %d of %d throws, {%d} %d", winner, n[winner], len(s.past), 1-winner, n[1-winner])
	}
	return o
}
