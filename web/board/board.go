// Package board shows the position of any game on a page: the board or score sheet in a game's context as a grid with
// style classes, and the rest of the context as facts.
//
//	context of a game ─┬▶ Read   ─▶ Board ─▶ Grid, which a template draws
//	                   └▶ Besides ─▶ Facts
//
// The texts in a context are third-party input; all of them are sanitized and cut.
package board

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"agentleague/league/view"
	"agentleague/protocol/grid"
)

// A Board is a position of a game as a grid of cells, row by row: its board, or its score sheet. Every game with a
// "board" member in its context has one.
type Board struct {
	Cells       []string `json:"cells"` // "" is empty
	Width       int      `json:"width"`
	RowHeads    []string `json:"row_heads,omitempty"`    // one for each row, or none
	ColumnHeads []string `json:"column_heads,omitempty"` // one for each column, or none
	Line        []int    `json:"line,omitempty"`         // the cells that decided the match
	New         []int    `json:"new,omitempty"`          // the cells that have changed

	steps bool // it is a score sheet with a row for each step
}

// Read finds the board in a game's context: its view, or the details of its end.
func Read(context json.RawMessage) (Board, bool) {
	told, ok := grid.Read(context)
	if !ok {
		return Board{}, false
	}
	b := Board{Width: told.Width, Line: told.Line}
	for _, texts := range []struct {
		from []string
		to   *[]string
	}{{told.Cells, &b.Cells}, {told.RowHeads, &b.RowHeads}, {told.ColumnHeads, &b.ColumnHeads}} {
		for _, text := range texts.from {
			*texts.to = append(*texts.to, view.Clean(text, cellMost))
		}
	}
	return b, true
}

// cellMost limits the characters of a cell, at display as at parsing.
const cellMost = 24

// Same reports whether two boards look the same, apart from the new cells.
func (b Board) Same(o Board) bool {
	return b.Width == o.Width && slices.Equal(b.Cells, o.Cells) && slices.Equal(b.Line, o.Line) &&
		slices.Equal(b.RowHeads, o.RowHeads)
}

// changes lists the cells that differ from another board; none if that has another size.
func (b Board) changes(before Board) (out []int) {
	if b.Width != before.Width || len(b.Cells) != len(before.Cells) {
		return nil
	}
	for i := range b.Cells {
		if b.Cells[i] != before.Cells[i] {
			out = append(out, i)
		}
	}
	return out
}

// Since marks the new cells in comparison with the most similar of several boards.
func (b Board) Since(before []Board) Board {
	b.New = nil
	for _, past := range before {
		news := b.changes(past)
		if news != nil && (b.New == nil || len(news) < len(b.New)) {
			b.New = news
		}
	}
	return b
}

// Named labels the rows of players, such as "first" or "you", with their names.
func (b Board) Named(names map[string]string) Board {
	b.RowHeads = slices.Clone(b.RowHeads)
	for i, head := range b.RowHeads {
		if name := names[head]; name != "" {
			b.RowHeads[i] = view.Clean(name, cellMost)
		}
	}
	return b
}

// Mark returns the mark of the player that sees a context, such as X, if the context has it.
func Mark(context json.RawMessage) string {
	var mine struct {
		Mark string `json:"mark"`
	}
	_ = json.Unmarshal(context, &mine) // a board without marks has none
	return view.Clean(mine.Mark, 12)
}

// Places reports whether moves refer to cells or to columns of the board.
func (b Board) Places(moves []json.RawMessage) grid.Place {
	return grid.Board{Cells: b.Cells, Width: b.Width}.Places(moves)
}

// Column returns the heading of a column, or its number.
func (b Board) Column(n int) string {
	if b.ColumnHeads != nil {
		return b.ColumnHeads[n]
	}
	return strconv.Itoa(n + 1)
}

// Place names a cell: row 1, column 2.
func (b Board) Place(cell int) string {
	row := "row " + strconv.Itoa(cell/b.Width+1)
	if b.RowHeads != nil {
		row = b.RowHeads[cell/b.Width]
	}
	return row + ", column " + b.Column(cell%b.Width)
}

// Describe describes a cell for a screen reader: row 1, column 2, X.
func (b Board) Describe(cell int) string {
	if b.Cells[cell] == "" {
		return b.Place(cell) + ", empty"
	}
	return b.Place(cell) + ", " + b.Cells[cell]
}

// Words describes the position for a screen reader.
func (b Board) Words() string {
	var marks []string
	for i, text := range b.Cells {
		if text != "" {
			marks = append(marks, b.Describe(i))
		}
	}
	switch {
	case len(marks) == 0:
		return "an empty board"
	case len(marks) > wordsMost:
		return strconv.Itoa(len(marks)) + " of " + strconv.Itoa(len(b.Cells)) + " cells are filled"
	}
	return strings.Join(marks, "; ")
}

// wordsMost limits the cells listed for a screen reader; the cells themselves have all.
const wordsMost = 49
