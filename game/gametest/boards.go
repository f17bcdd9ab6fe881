package gametest

import (
	"encoding/json"
	"fmt"

	"agentleague/game"
)

// mostCells is the maximum number of cells of a board.
const mostCells = 1024

// boardsAreGrids requires that each "board" in the views and in the outcome can be drawn as a grid. A board is a list
// of rows of equal length, or a flat list of the cells of a square. It is optional, and so are its headings, but given
// headings cover all rows or all columns.
func boardsAreGrids(p position) error {
	for _, v := range append(p.views(), p.state.View(-1)) {
		if err := checkBoard(v.Context); err != nil {
			return fmt.Errorf("seat %d: %w", v.Seat, err)
		}
	}
	o, _ := p.state.Outcome()
	details, err := json.Marshal(o.Details)
	if err != nil {
		return fmt.Errorf("the outcome's details: %w", err)
	}
	if err := checkBoard(details); err != nil {
		return fmt.Errorf("the outcome's details: %w", err)
	}
	return nil
}

// checkBoard returns an error if a context has an invalid board. A context without a board is valid.
func checkBoard(context json.RawMessage) error {
	var told struct {
		Board   json.RawMessage `json:"board"`
		Rows    []string        `json:"board_rows"`
		Columns []string        `json:"board_columns"`
		Line    []int           `json:"line"`
	}
	if err := json.Unmarshal(context, &told); err != nil && told.Board != nil {
		return fmt.Errorf("board: headings are lists of texts, a line is a list of cells: %w", err)
	}
	if told.Board == nil || string(told.Board) == "null" {
		return nil
	}
	rows, columns, err := size(told.Board)
	switch {
	case err != nil:
		return err
	case rows*columns > mostCells:
		return fmt.Errorf("board: %d cells, want at most %d", rows*columns, mostCells)
	case told.Rows != nil && len(told.Rows) != rows:
		return fmt.Errorf("board_rows: %d headings, want one for each of %d rows", len(told.Rows), rows)
	case told.Columns != nil && len(told.Columns) != columns:
		return fmt.Errorf("board_columns: %d headings, want one for each of %d columns", len(told.Columns), columns)
	}
	for _, cell := range told.Line {
		if cell < 0 || cell >= rows*columns {
			return fmt.Errorf("line: cell %d, want 0 to %d", cell, rows*columns-1)
		}
	}
	return nil
}

// size returns the number of rows and columns of a board.
func size(board json.RawMessage) (rows, columns int, err error) {
	var square []string
	if json.Unmarshal(board, &square) == nil {
		for rows*rows < len(square) {
			rows++
		}
		if rows == 0 || rows*rows != len(square) {
			return 0, 0, fmt.Errorf("board: %d cells in one list, want a square; other boards are lists of rows", len(square))
		}
		return rows, rows, nil
	}
	var lines [][]string
	if err := json.Unmarshal(board, &lines); err != nil {
		return 0, 0, fmt.Errorf("board: %w", err)
	}
	for i, line := range lines {
		if len(line) == 0 || len(line) != len(lines[0]) {
			return 0, 0, fmt.Errorf("board: row %d has %d cells, want one or more, and as many as the first", i, len(line))
		}
	}
	if len(lines) == 0 {
		return 0, 0, fmt.Errorf("board: no rows, want one or more, or no board")
	}
	return len(lines), len(lines[0]), nil
}

// spectatorsAreStrangers requires that all seats outside the match have the same view.
func spectatorsAreStrangers(p position) error {
	v := p.state.View(-1)
	other := p.state.View(game.Seat(p.seats))
	if v.Seat != -1 || v.Turn != p.turn || !json.Valid(v.Context) {
		return fmt.Errorf("view says seat %d, turn %d, context %q; want seat -1, turn %d and JSON", v.Seat, v.Turn, v.Context, p.turn)
	}
	if string(v.Context) != string(other.Context) {
		return fmt.Errorf("seat -1 sees %s, seat %d %s", v.Context, p.seats, other.Context)
	}
	return nil
}
