package tictactoe

import (
	"errors"
	"fmt"
	"slices"

	"agentleague/game"
)

// cells is the number of cells on a board.
const cells = 9

// A board holds "X", "O" or nothing in each cell, row by row.
type board [cells]string

// lines are the rows, columns and diagonals that win.
var lines = [...][3]int{
	{0, 1, 2}, {3, 4, 5}, {6, 7, 8},
	{0, 3, 6}, {1, 4, 7}, {2, 5, 8},
	{0, 4, 8}, {2, 4, 6},
}

// line returns the cells of the first line of three equal marks, or nil.
func (b board) line() []int {
	for _, l := range lines {
		if m := b[l[0]]; m != "" && m == b[l[1]] && m == b[l[2]] {
			return slices.Clone(l[:])
		}
	}
	return nil
}

// free returns the empty cells, in order.
func (b board) free() []int {
	var free []int
	for cell, mark := range b {
		if mark == "" {
			free = append(free, cell)
		}
	}
	return free
}

// validateCell parses a move as the number of a free cell.
func (b board) validateCell(m game.Move) (int, error) {
	cell, ok := game.Cell(m, cells)
	if !ok {
		return 0, errors.New("use the number of a cell, a whole number from 0 to 8")
	}
	if b[cell] != "" {
		return 0, fmt.Errorf("cell %d is taken; use one of %v", cell, b.free())
	}
	return cell, nil
}

// result returns the outcome of a match that ended with this board.
func (b board) result() game.Outcome {
	o := game.Outcome{
		Scores:  []int{0, 0},
		Reason:  "the board is full with no three in a row",
		Details: map[string]any{"board": b[:], "line": nil},
	}
	if line := b.line(); line != nil {
		winner := slices.Index([]string{game.Mark(0), game.Mark(1)}, b[line[0]])
		o.Scores[winner] = 1
		o.Reason = fmt.Sprintf("{%d} has three %s in a row, cells %d, %d and %d", winner, b[line[0]], line[0],
			line[1], line[2])
		o.Details["line"] = line
	}
	return o
}

// resumed returns the match that led to a board.
func resumed(marks []string) (*state, error) {
	if len(marks) != cells {
		return nil, fmt.Errorf("resume tic_tac_toe: the board has %d cells, want %d", len(marks), cells)
	}
	s := &state{board: board(marks)}
	count := map[string]int{}
	for _, mark := range marks {
		count[mark]++
	}
	x, o := count[game.Mark(0)], count[game.Mark(1)]
	if s.turn = x + o; s.turn+count[""] != cells || x != o && x != o+1 {
		return nil, fmt.Errorf("resume tic_tac_toe: no match leads to the board %q", marks)
	}
	return s, nil
}
