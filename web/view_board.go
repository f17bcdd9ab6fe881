package web

import (
	"encoding/json"
	"slices"
	"strconv"
)

// A Board is a position of a game that is played on one: a square of cells,
// row by row. Whatever game tells its players of a "board" has one.
type Board struct {
	Turn  int      `json:"turn"` // moves so far
	Cells []string `json:"cells"`
	Line  []int    `json:"line,omitempty"` // the cells that won
	Width int      `json:"width"`
	Last  int      `json:"last"` // the cell that was marked last; -1: none
}

// maxCells bounds a board that is shown: that of Go.
const maxCells = 19 * 19

// readBoard finds the board in what a game tells: its view, or the details of its end.
func readBoard(context json.RawMessage) (Board, bool) {
	var told struct {
		Board []string `json:"board"`
		Line  []int    `json:"line"`
	}
	if json.Unmarshal(context, &told) != nil || len(told.Board) == 0 || len(told.Board) > maxCells {
		return Board{}, false
	}
	width := 1
	for width*width < len(told.Board) {
		width++
	}
	if width*width != len(told.Board) {
		return Board{}, false
	}
	b := Board{Width: width, Last: -1}
	for _, mark := range told.Board {
		if mark = said(mark, 3); mark != "" {
			b.Turn++
		}
		b.Cells = append(b.Cells, mark)
	}
	for _, cell := range told.Line {
		if cell >= 0 && cell < len(b.Cells) {
			b.Line = append(b.Line, cell)
		}
	}
	return b, true
}

// boards lists the positions of a match, and marks each line of its timeline
// with the newest that was there.
func boards(lines []Line) (out []Board) {
	for i := range lines {
		if b, ok := boardIn(lines[i].Message); ok && (len(out) == 0 || !out[len(out)-1].same(b)) {
			out = append(out, b.after(out))
		}
		lines[i].Board = len(out) - 1
	}
	return out
}

func (b Board) same(other Board) bool {
	return slices.Equal(b.Cells, other.Cells) && slices.Equal(b.Line, other.Line)
}

// after marks what is new since the position before.
func (b Board) after(before []Board) Board {
	if len(before) == 0 {
		return b
	}
	past := before[len(before)-1]
	if b.Last = past.Last; len(past.Cells) == len(b.Cells) {
		for i := range b.Cells {
			if b.Cells[i] != past.Cells[i] {
				b.Last = i
			}
		}
	}
	return b
}

// boardIn finds the board in a message of a match.
func boardIn(message json.RawMessage) (Board, bool) {
	var m struct {
		Request struct {
			Context json.RawMessage `json:"context"`
		} `json:"move_request"`
		Result struct {
			Details json.RawMessage `json:"details"`
		} `json:"game_result"`
	}
	_ = json.Unmarshal(message, &m) // what cannot be read has no board
	if b, ok := readBoard(m.Request.Context); ok {
		return b, true
	}
	return readBoard(m.Result.Details)
}

// A Cell is one cell of a board as the page shows it.
type Cell struct {
	Number int
	Mark   string
	Won    bool
	Last   bool
	Option string // the move that marks it, if one may
	Label  string // for one who hears the page
	Key    string // that plays it
}

// Words names the cell to one who hears the page: row 1, column 2, X.
func (c Cell) words(width int) string {
	place := "row " + strconv.Itoa(c.Number/width+1) + ", column " + strconv.Itoa(c.Number%width+1)
	if c.Mark == "" {
		return place + ", empty"
	}
	return place + ", " + c.Mark
}

// Rows are the cells row by row.
func (b Board) Rows() (out [][]Cell) {
	for i, mark := range b.Cells {
		if i%b.Width == 0 {
			out = append(out, nil)
		}
		row := &out[len(out)-1]
		*row = append(*row, Cell{Number: i, Mark: mark, Won: slices.Contains(b.Line, i), Last: i == b.Last})
	}
	return out
}

// Words tells the position to one who hears the page.
func (b Board) Words() (text string) {
	for _, row := range b.Rows() {
		for _, c := range row {
			if c.Mark != "" {
				text += c.words(b.Width) + "; "
			}
		}
	}
	if text == "" {
		return "an empty board"
	}
	return text[:len(text)-2]
}
