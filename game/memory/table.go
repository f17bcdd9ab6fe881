package memory

import (
	"math/rand/v2"

	"agentleague/game"
	"agentleague/game/draw"
)

const (
	side  = 4           // cells in a row, and rows
	cells = side * side // cards on the table at the start
)

// A table holds the cards and their owners, by cell.
type table struct {
	cards [cells]string // a letter each
	taken [cells]bool
	owner [cells]game.Seat // of the taken ones
}

// newTable returns a shuffled table with two cards of each letter. All orders are equally likely.
func newTable(rng *rand.Rand) table {
	var t table
	for cell := range t.cards {
		t.cards[cell] = string(rune('A' + cell/2))
	}
	for last := cells - 1; last > 0; last-- {
		other := draw.Number(rng, last+1) - 1
		t.cards[last], t.cards[other] = t.cards[other], t.cards[last]
	}
	return t
}

// left returns the cells of the cards that are not taken, in order.
func (t *table) left() []int {
	var left []int
	for cell, taken := range t.taken {
		if !taken {
			left = append(left, cell)
		}
	}
	return left
}

// take gives two cards to a seat if they match, and reports whether they do.
func (t *table) take(two []int, seat game.Seat) bool {
	if t.cards[two[0]] != t.cards[two[1]] {
		return false
	}
	for _, cell := range two {
		t.taken[cell], t.owner[cell] = true, seat
	}
	return true
}

// pairs returns the letters of a seat's pairs, ordered by cell.
func (t *table) pairs(seat game.Seat) []string {
	letters, met := []string{}, map[string]bool{}
	for cell, letter := range t.cards {
		if t.taken[cell] && t.owner[cell] == seat && !met[letter] {
			met[letter] = true
			letters = append(letters, letter)
		}
	}
	return letters
}

// rows returns the cards row by row: a letter for cells for which shown returns true, "?" for the others.
func (t *table) rows(shown func(cell int) bool) [][]string {
	out := make([][]string, side)
	for cell, letter := range t.cards {
		if !shown(cell) {
			letter = "?"
		}
		out[cell/side] = append(out[cell/side], letter)
	}
	return out
}
