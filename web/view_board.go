package web

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"agentleague/protocol"
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

// readBoard finds the board in a game's context: its view, or the details of its end.
func readBoard(context json.RawMessage) (Board, bool) {
	told, ok := protocol.ReadBoard(context)
	if !ok {
		return Board{}, false
	}
	b := Board{Width: told.Width, Line: told.Line}
	for _, texts := range []struct {
		from []string
		to   *[]string
	}{{told.Cells, &b.Cells}, {told.RowHeads, &b.RowHeads}, {told.ColumnHeads, &b.ColumnHeads}} {
		for _, text := range texts.from {
			*texts.to = append(*texts.to, said(text, cellMost))
		}
	}
	return b, true
}

// cellMost limits the characters of a cell, at display as at parsing.
const cellMost = 24

// same reports whether two boards look the same, apart from the new cells.
func (b Board) same(o Board) bool {
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

// since marks the new cells in comparison with the most similar of several boards.
func (b Board) since(before []Board) Board {
	b.New = nil
	for _, past := range before {
		news := b.changes(past)
		if news != nil && (b.New == nil || len(news) < len(b.New)) {
			b.New = news
		}
	}
	return b
}

// named labels the rows with the names of their players. Seat is the player that sees the board; zero for a
// spectator.
func (b Board) named(first, second, seat NameView) Board {
	you, opponent := first, second
	if seat.ID == second.ID {
		you, opponent = second, first
	}
	names := map[string]NameView{"first": first, "second": second}
	if seat.ID != "" {
		names["you"], names["opponent"] = you, opponent
	}
	b.RowHeads = slices.Clone(b.RowHeads)
	for i, head := range b.RowHeads {
		if n, ok := names[head]; ok && n.ID != "" {
			b.RowHeads[i] = said(n.title(), cellMost)
		}
	}
	return b
}

// title returns the name of an agent, or its id.
func (n NameView) title() string {
	if n.Name != "" {
		return n.Name
	}
	return n.ID
}

// column returns the heading of a column, or its number.
func (b Board) column(n int) string {
	if b.ColumnHeads != nil {
		return b.ColumnHeads[n]
	}
	return strconv.Itoa(n + 1)
}

// place names a cell for a screen reader: row 1, column 2.
func (b Board) place(cell int) string {
	row := "row " + strconv.Itoa(cell/b.Width+1)
	if b.RowHeads != nil {
		row = b.RowHeads[cell/b.Width]
	}
	return row + ", column " + b.column(cell%b.Width)
}

// describe describes a cell for a screen reader: row 1, column 2, X.
func (b Board) describe(cell int) string {
	if b.Cells[cell] == "" {
		return b.place(cell) + ", empty"
	}
	return b.place(cell) + ", " + b.Cells[cell]
}

// Words describes the position for a screen reader.
func (b Board) Words() string {
	var marks []string
	for i, text := range b.Cells {
		if text != "" {
			marks = append(marks, b.describe(i))
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
