// Package tictactoe implements tic-tac-toe: two players take turns to mark cells, and the
// first with three in a row wins.
//
//	0 │ 1 │ 2
//	──┼───┼──      seat 0 plays X and begins,
//	3 │ 4 │ 5      seat 1 plays O
//	──┼───┼──
//	6 │ 7 │ 8
package tictactoe

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"agentleague/game"
)

// Game implements the rules of Tic-Tac-Toe. Its zero value is ready to use.
type Game struct{}

// moveType is the only move type of the game.
const moveType = "place_mark"

// Info describes Tic-Tac-Toe.
func (Game) Info() game.Info {
	return game.Info{
		Type:   "tic_tac_toe",
		Name:   "Tic-Tac-Toe",
		Module: "tictactoe",
		Rules: "The board has nine cells, numbered 0 to 8 row by row: 0 1 2 on top, 3 4 5 in the middle, 6 7 8 below. " +
			"X moves " +
			"first, then the players take turns, and each move marks one free cell for good. The first with three of its own " +
			"marks in a row, a column or a diagonal wins; a full board without that is a draw.",
		MoveTypes:    []string{moveType},
		ValidChoices: map[string][]string{moveType: {"0-8"}},
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
		Board []string `json:"board"`
	}
	if err := json.Unmarshal(v.Context, &seen); err != nil {
		return nil, fmt.Errorf("resume tic_tac_toe: %w", err)
	}
	return resumed(seen.Board)
}

// state is a match: the board and the number of marks on it.
type state struct {
	board board
	turn  int
}

// Fork returns a copy of the match.
func (s *state) Fork() game.Open {
	fork := *s
	return &fork
}

// ToMove returns the seat to move, or none after three in a row or with a full board.
func (s *state) ToMove() []game.Seat {
	if s.board.line() != nil || s.turn == cells {
		return nil
	}
	return []game.Seat{game.Seat(s.turn % 2)}
}

// View shows the board to all seats, and the free cells to the seat to move.
func (s *state) View(seat game.Seat) game.View {
	seen := struct {
		Board board  `json:"board"`
		Mark  string `json:"mark"` // that the seat plays
	}{s.board, game.Mark(seat)}
	return game.Look(s, seat, s.turn, seen, moveType, func() []game.Move { return game.Cells(s.board.free()) })
}

// Check accepts the number of a free cell from the seat to move.
func (s *state) Check(seat game.Seat, m game.Move) error {
	return game.CheckMove(s, seat, m, s.board.validateCell)
}

// Apply marks the chosen cell.
func (s *state) Apply(moves map[game.Seat]game.Move) error {
	if err := game.CheckMoves(s, moves); err != nil {
		return err
	}
	for seat, m := range moves {
		cell, _ := s.board.validateCell(m) // CheckMoves has seen that it is one
		s.board[cell] = game.Mark(seat)
	}
	s.turn++
	return nil
}

// Outcome returns a win by three in a row, or a draw on a full board.
func (s *state) Outcome() (game.Outcome, bool) {
	if len(s.ToMove()) > 0 {
		return game.Outcome{}, false
	}
	return s.board.result(), true
}
