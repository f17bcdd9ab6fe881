package game

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Look returns a seat's view of a match: context as JSON and, if the seat is to move, the question with its options.
func Look(s State, seat Seat, turn int, context any, ask string, options func() []Move) View {
	v := View{Seat: seat, Turn: turn}
	v.Context, _ = json.Marshal(context) // contexts are texts and numbers, which always encode
	if slices.Contains(s.ToMove(), seat) {
		v.Ask, v.Options = ask, options()
	}
	return v
}

// Both returns the seats to move in a match with simultaneous moves.
func Both(over bool) []Seat {
	if over {
		return nil
	}
	return []Seat{0, 1}
}

// Words returns moves that are words, as JSON.
func Words[T ~string](words []T) []Move {
	out := make([]Move, len(words))
	for i, word := range words {
		out[i] = Move(strconv.Quote(string(word)))
	}
	return out
}

// Word parses a move that must be one of two or more words; the comparison is case-sensitive. The error lists the words.
func Word[T ~string](m Move, words []T) (word T, err error) {
	if json.Unmarshal(m, &word) == nil && slices.Contains(words, word) {
		return word, nil
	}
	var names []string
	for _, w := range words {
		names = append(names, strconv.Quote(string(w)))
	}
	last := len(names) - 1
	return "", fmt.Errorf("use %s or %s", strings.Join(names[:last], ", "), names[last])
}

// Cells returns moves that are numbers of cells.
func Cells(cells []int) []Move {
	out := make([]Move, len(cells))
	for i, cell := range cells {
		out[i] = Move(strconv.Itoa(cell))
	}
	return out
}

// Cell parses a move that must be a JSON integer from 0 to n-1. It rejects other spellings: 4.0, "4", -0 and null.
func Cell(m Move, n int) (cell int, ok bool) {
	number := strings.Trim(string(m), " \t\r\n")
	cell, err := strconv.Atoi(number)
	return cell, err == nil && cell >= 0 && cell < n && strconv.Itoa(cell) == number
}

// BySide maps the names of the sides, from a seat's perspective, to the values of seats 0 and 1.
func BySide[T any](seat Seat, values [2]T) map[string]T {
	out := map[string]T{}
	for _, side := range Sides(seat) {
		out[side.Name] = values[side.Seat]
	}
	return out
}

// Sheet returns the rows of a score sheet and their headings, from a seat's perspective.
func Sheet(seat Seat, row func(Seat) []string) (rows [][]string, headings []string) {
	for _, side := range Sides(seat) {
		rows, headings = append(rows, row(side.Seat)), append(headings, side.Name)
	}
	return rows, headings
}

// Numbers returns "1" to n, the column headings of a score sheet.
func Numbers(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i + 1)
	}
	return out
}

// Mark returns the mark that a seat plays on a grid: "X" or "O"; "" for a spectator.
func Mark(seat Seat) string {
	switch seat {
	case 0:
		return "X"
	case 1:
		return "O"
	}
	return ""
}
