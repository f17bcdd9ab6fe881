package grid

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"agentleague/protocol"
)

// A Board is a position as a grid of cells: the board of a game that has one, or
// the score sheet of a game that has none. Its texts are short and print.
type Board struct {
	Cells       []string // row by row; "" is an empty cell
	Width       int      // cells in a row, at least 1
	RowHeads    []string // one for each row, or none
	ColumnHeads []string // one for each column, or none
	Line        []int    // the cells that decided the match, if the game reports them
}

// Limits of [Read]: a board with more cells is rejected, a longer text in a cell is truncated.
const (
	maxCells     = 1024
	maxCellRunes = 24
)

// Read reads a board from the context of a view or the details of an ending. Its member "board" is a list of
// rows of texts, all of one length, or one list of texts that is a square. Beside it "board_rows" and "board_columns"
// are headings, and "line" lists cells that decided the match; a list of headings with the wrong length is ignored.
func Read(raw json.RawMessage) (Board, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return Board{}, false
	}
	b, ok := readCells(members["board"])
	if !ok {
		return Board{}, false
	}
	b.RowHeads = readHeads(members["board_rows"], b.Height())
	b.ColumnHeads = readHeads(members["board_columns"], b.Width)
	b.Line = readLine(members["line"], len(b.Cells))
	return b, true
}

// readCells reads rows, or a square.
func readCells(raw json.RawMessage) (b Board, ok bool) {
	var rows [][]string
	var square []string
	switch {
	case json.Unmarshal(raw, &rows) == nil:
		b, ok = inRows(rows)
	case json.Unmarshal(raw, &square) == nil:
		side := int(math.Sqrt(float64(len(square))))
		b, ok = Board{Cells: square, Width: side}, side > 0 && side*side == len(square)
	}
	if !ok || len(b.Cells) > maxCells {
		return Board{}, false
	}
	shorten(b.Cells)
	return b, true
}

// inRows joins rows of equal length.
func inRows(rows [][]string) (b Board, ok bool) {
	for _, row := range rows {
		if len(row) == 0 || len(row) != len(rows[0]) {
			return Board{}, false
		}
	}
	if len(rows) == 0 {
		return Board{}, false
	}
	return Board{Cells: slices.Concat(rows...), Width: len(rows[0])}, true
}

// readHeads reads the heads of rows or columns. A list of the wrong length is ignored, since the input is untrusted.
func readHeads(raw json.RawMessage, want int) []string {
	var heads []string
	if json.Unmarshal(raw, &heads) != nil || len(heads) != want {
		return nil
	}
	shorten(heads)
	return heads
}

// readLine reads numbers of cells, each once, in their order.
func readLine(raw json.RawMessage, cells int) []int {
	var line []int
	if json.Unmarshal(raw, &line) != nil {
		return nil
	}
	line = slices.DeleteFunc(line, func(cell int) bool { return cell < 0 || cell >= cells })
	slices.Sort(line)
	return slices.Compact(line)
}

// shorten sanitizes untrusted texts and cuts them to the size of a cell.
func shorten(texts []string) {
	for i, text := range texts {
		if runes := []rune(protocol.Clip(text, 4*maxCellRunes)); len(runes) > maxCellRunes {
			text = strings.TrimSpace(string(runes[:maxCellRunes-1])) + "…"
		}
		texts[i] = strings.TrimSpace(protocol.Plain(text))
	}
}

// Height returns the number of rows; 0 for no board.
func (b Board) Height() int { return len(b.Cells) / max(b.Width, 1) }

// Equal reports whether two boards look the same.
func (b Board) Equal(o Board) bool {
	return b.Width == o.Width && slices.Equal(b.Cells, o.Cells) && slices.Equal(b.Line, o.Line) &&
		slices.Equal(b.RowHeads, o.RowHeads) && slices.Equal(b.ColumnHeads, o.ColumnHeads)
}

// A Place is the part of a board that a move numbers.
type Place int

// The places that the moves of a turn can number.
const (
	Nowhere  Place = iota // words, or numbers of something else
	AtCell                // cells, counted row by row from 0
	AtColumn              // columns, counted from 0
)

// Places reports whether the moves are indexes of cells or of columns; [Nowhere] if they are neither. Indexes that fit
// both are columns if a cell below the first row is empty, since a move into that cell is missing.
func (b Board) Places(moves []json.RawMessage) Place {
	highest := -1
	for _, m := range moves {
		n, err := strconv.Atoi(string(m))
		if err != nil || n < 0 || n >= len(b.Cells) {
			return Nowhere
		}
		highest = max(highest, n)
	}
	switch {
	case highest < 0:
		return Nowhere
	case highest < b.Width && slices.Contains(b.Cells[b.Width:], ""):
		return AtColumn
	}
	return AtCell
}
