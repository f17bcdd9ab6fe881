package board

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Grid is a board as a page draws it: each cell has a CSS class, and the move that a click on it plays, if any.
type Grid struct {
	Class string
	Words string // for a screen reader
	Heads []Cell // of the columns, or none
	Rows  []GridRow
	Named bool // the rows have headings
}

// A GridRow is one row of a grid.
type GridRow struct {
	Head  string
	Cells []Cell
}

// A Cell is one cell of a grid.
type Cell struct {
	Text   string
	Class  string
	Number int
	Option string // the move of the cell, if it is one
	Label  string // of the move, for a screen reader
	Key    string // that plays it
	Column int    // the column of a move; -1: a move is no column
}

// Grid draws the board.
func (b Board) Grid() Grid { return b.GridOf(nil, nil) }

// GridOf returns the board as a grid. A move plays in the cell of its index in cells, or above the column of its index
// in columns; at most one of the two is not nil.
func (b Board) GridOf(cells, columns map[int]Cell) Grid {
	if b.upright() {
		return b.turned().Grid()
	}
	g := Grid{Class: b.class(), Words: b.Words(), Named: b.RowHeads != nil}
	for i := range b.Width {
		if b.ColumnHeads != nil || columns != nil {
			head := columns[i]
			head.Text = b.Column(i)
			g.Heads = append(g.Heads, head)
		}
	}
	look := b.look()
	for i, text := range b.Cells {
		if i%b.Width == 0 {
			g.Rows = append(g.Rows, GridRow{})
			if b.RowHeads != nil {
				g.Rows[len(g.Rows)-1].Head = b.RowHeads[i/b.Width]
			}
		}
		c := cells[i]
		c.Text, c.Number, c.Class, c.Column = strings.ReplaceAll(text, "_", " "), i, look(text), -1
		if columns[i%b.Width].Option != "" {
			c.Column = i % b.Width
		}
		c.mark(b, i)
		row := &g.Rows[len(g.Rows)-1]
		row.Cells = append(row.Cells, c)
	}
	return g
}

// stepsInLine limits the steps of a score sheet that are side by side; the next are below them.
const stepsInLine = 8

// Parts returns the grid in the pieces that are drawn: one, or several for a long score sheet.
func (g Grid) Parts() (out []Grid) {
	if len(g.Rows) == 0 || len(g.Rows[0].Cells) <= stepsInLine || !strings.HasPrefix(g.Class, sheetClass) {
		return []Grid{g}
	}
	width := len(g.Rows[0].Cells)
	for from := 0; from < width; from += stepsInLine {
		to := min(from+stepsInLine, width)
		part := Grid{Class: g.Class, Named: g.Named, Words: fmt.Sprintf("columns %d to %d", from+1, to)}
		if g.Heads != nil {
			part.Heads = g.Heads[from:to]
		}
		for _, row := range g.Rows {
			part.Rows = append(part.Rows, GridRow{Head: row.Head, Cells: row.Cells[from:to]})
		}
		out = append(out, part)
	}
	return out
}

// mark adds style classes for special cells.
func (c *Cell) mark(b Board, cell int) {
	if slices.Contains(b.Line, cell) {
		c.Class += " won"
	}
	if slices.Contains(b.New, cell) {
		c.Class += " newest"
	}
}

// sheet reports whether the board is a score sheet: a few rows, one for each player.
func (b Board) sheet() bool {
	return b.steps || b.RowHeads != nil && len(b.RowHeads) <= 4 && b.Width > 1
}

// upright reports whether a score sheet is easier to read from top to bottom: it has words in it.
func (b Board) upright() bool { return !b.steps && b.sheet() && b.longest() > 2 }

// longest returns the length of the longest text in a cell.
func (b Board) longest() (n int) {
	for _, text := range b.Cells {
		n = max(n, utf8.RuneCountInString(text))
	}
	return n
}

// turned returns the board with rows and columns exchanged. Steps without an entry are left out.
func (b Board) turned() Board {
	out := Board{Width: len(b.RowHeads), ColumnHeads: b.RowHeads, steps: true}
	at := map[int]int{}
	for column := range b.Width {
		if !b.reached(column) {
			continue
		}
		head := strconv.Itoa(column + 1)
		if b.ColumnHeads != nil {
			head = b.ColumnHeads[column]
		}
		out.RowHeads = append(out.RowHeads, head)
		for row := range b.RowHeads {
			at[row*b.Width+column] = len(out.Cells)
			out.Cells = append(out.Cells, b.Cells[row*b.Width+column])
		}
	}
	for _, cells := range []struct {
		from []int
		to   *[]int
	}{{b.Line, &out.Line}, {b.New, &out.New}} {
		for _, cell := range cells.from {
			if now, ok := at[cell]; ok {
				*cells.to = append(*cells.to, now)
			}
		}
	}
	return out
}

// reached reports whether a step of a score sheet has begun. The first always has.
func (b Board) reached(column int) bool {
	for row := range b.RowHeads {
		if b.Cells[row*b.Width+column] != "" {
			return true
		}
	}
	return column == 0
}
