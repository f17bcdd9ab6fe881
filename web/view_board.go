package web

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"agentleague/protocol"
)

// A Board is a position of a game as a grid of cells, row by row: its board, or
// its score sheet. Whatever game tells of a "board" has one.
type Board struct {
	Cells       []string `json:"cells"` // "" is empty
	Width       int      `json:"width"`
	RowHeads    []string `json:"row_heads,omitempty"`    // one for each row, or none
	ColumnHeads []string `json:"column_heads,omitempty"` // one for each column, or none
	Line        []int    `json:"line,omitempty"`         // the cells that decided the match
	New         []int    `json:"new,omitempty"`          // the cells that are not as they were before

	steps bool // it is a score sheet with a row for each step
}

// readBoard finds the board in what a game tells: its view, or the details of its end.
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

// cellMost is how many characters of a cell are shown: as many as are read.
const cellMost = 24

// same reports whether two boards look the same, but for what is new on them.
func (b Board) same(o Board) bool {
	return b.Width == o.Width && slices.Equal(b.Cells, o.Cells) && slices.Equal(b.Line, o.Line) &&
		slices.Equal(b.RowHeads, o.RowHeads)
}

// changes lists the cells that are not as on another board; nothing if that has another size.
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

// since marks what is new since one of several boards: the one that is most like it.
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

// named calls the rows by the names of those whose they are. Seat is who sees the board; "": nobody who plays.
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

// title is what an agent is called, or its id.
func (n NameView) title() string {
	if n.Name != "" {
		return n.Name
	}
	return n.ID
}

// column is the heading of a column, or its number.
func (b Board) column(n int) string {
	if b.ColumnHeads != nil {
		return b.ColumnHeads[n]
	}
	return strconv.Itoa(n + 1)
}

// place names a cell to one who hears the page: row 1, column 2.
func (b Board) place(cell int) string {
	row := "row " + strconv.Itoa(cell/b.Width+1)
	if b.RowHeads != nil {
		row = b.RowHeads[cell/b.Width]
	}
	return row + ", column " + b.column(cell%b.Width)
}

// describe tells a cell to one who hears the page: row 1, column 2, X.
func (b Board) describe(cell int) string {
	if b.Cells[cell] == "" {
		return b.place(cell) + ", empty"
	}
	return b.place(cell) + ", " + b.Cells[cell]
}

// Words tells the position to one who hears the page.
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

// wordsMost is how many cells are listed for one who hears the page; the cells themselves have all.
const wordsMost = 49
