// Package connectfour implements Connect Four: players drop discs into seven columns, and the first
// with four in a row wins.
//
//	. . . . . . .
//	. . . . . . .
//	. . . O . . .      seat 0 plays X and begins,
//	. . X X . . .      seat 1 plays O
//	. O X O . . .
//	X O O X . . .
//	0 1 2 3 4 5 6
package connectfour

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"

	"agentleague/game"
)

// Game implements the rules of Connect Four. Its zero value is ready to use.
type Game struct{}

// moveType is the only move type of the game.
const moveType = "drop_disc"

// Info describes Connect Four.
func (Game) Info() game.Info {
	return game.Info{
		Type:   "connect_four",
		Name:   "Connect Four",
		Module: "connectfour",
		Rules: "The board stands upright: seven columns, numbered 0 to 6 from the left, of six cells each. X moves " +
			"first, then the " +
			"players take turns. A move (drop_disc) is the number of a column that is not full, such as 3: a disc of the " +
			"player's own " +
			"falls to the lowest free cell of it and stays there. The first with four of its own discs in a row, across, up or " +
			"diagonally, wins; a full board without that is a draw. In the board the first row is the top.",
		MoveTypes:    []string{moveType},
		ValidChoices: map[string][]string{moveType: {"0-6"}},
		MinSeats:     2,
		MaxSeats:     2,
		MaxTurns:     cells,
		SeatMatters:  true,

		GuestsMayJudge: true,
	}
}

// Start begins a match on an empty board. The game has no randomness.
func (g Game) Start(seats int, _ *rand.Rand) (game.State, error) {
	if err := g.Info().CheckSeats(seats); err != nil {
		return nil, err
	}
	return &state{}, nil
}

// Resume returns the position whose board is in view v.
func (Game) Resume(v game.View) (game.Open, error) {
	var seen struct {
		Board [][]string `json:"board"`
	}
	if err := json.Unmarshal(v.Context, &seen); err != nil {
		return nil, fmt.Errorf("resume connect_four: %w", err)
	}
	b, err := boardOf(seen.Board)
	if err != nil {
		return nil, fmt.Errorf("resume connect_four: %w", err)
	}
	return &state{board: b}, nil
}

// state is a match; the board determines it completely.
type state struct{ board board }

// Fork returns a copy of the match.
func (s *state) Fork() game.Open {
	fork := *s
	return &fork
}

// ToMove returns the seat to move, or none after four in a row or with a full board.
func (s *state) ToMove() []game.Seat {
	if s.board.over() {
		return nil
	}
	return []game.Seat{s.board.next()}
}

// View shows the board to all seats, and the columns with room to the seat to move.
func (s *state) View(seat game.Seat) game.View {
	seen := struct {
		Board   [][]string `json:"board"`
		Columns []string   `json:"board_columns"`
		Mark    string     `json:"mark"` // that the seat plays
	}{s.board.shown(), headings(), game.Mark(seat)}
	return game.Look(s, seat, s.board.discs(), seen, moveType, func() []game.Move { return game.Cells(s.board.open()) })
}

// Check accepts the number of a column with room from the seat to move.
func (s *state) Check(seat game.Seat, m game.Move) error {
	return game.CheckMove(s, seat, m, s.column)
}

// column parses a move as the number of a column with room.
func (s *state) column(m game.Move) (int, error) {
	column, ok := game.Cell(m, columns)
	if !ok {
		return 0, errors.New("use the number of a column, a whole number from 0 to 6")
	}
	if s.board.height(column) == rows {
		return 0, fmt.Errorf("column %d is full; use one of %v", column, s.board.open())
	}
	return column, nil
}

// Apply drops a disc into the chosen column.
func (s *state) Apply(moves map[game.Seat]game.Move) error {
	if err := game.CheckMoves(s, moves); err != nil {
		return err
	}
	for seat, m := range moves {
		column, _ := s.column(m) // CheckMoves has seen that it is one
		s.board.drop(seat, column)
	}
	return nil
}

// Outcome returns a win by four in a row, or a draw on a full board.
func (s *state) Outcome() (game.Outcome, bool) {
	if !s.board.over() {
		return game.Outcome{}, false
	}
	return s.board.result(), true
}
