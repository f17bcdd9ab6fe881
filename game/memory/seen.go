package memory

import (
	"slices"

	"agentleague/game"
)

// Seen is the context of a view. All seats see the same cards; only the names of the sides differ: "you" and
// "opponent" for a player, "first" and "second" for spectators.
//
// A player that stores the Turned and Last of each of its views has seen every card that was ever turned.
type Seen struct {
	// Board shows the cards: "?" for a face-down card, or the letter of a card that is taken or turned up. Before the
	// first card of a turn it also shows the two cards of the turn before.
	Board     [][]string          `json:"board"`
	Turned    []Turned            `json:"turned"`     // in this turn, by the seat to move
	Last      map[string][]Turned `json:"last"`       // by side, the two cards of its last whole turn
	Pairs     map[string][]string `json:"pairs"`      // by side, the letters that it has taken
	TurnsLeft int                 `json:"turns_left"` // of two cards each, this one counted
}

// A Turned is a card that was turned up.
type Turned struct {
	At   int    `json:"at"` // its cell
	Card string `json:"card"`
}

// seen returns a seat's view.
func (s *state) seen(seat game.Seat) Seen {
	out := Seen{
		Board: s.table.rows(s.shown), Turned: s.cardsAt(s.open), Last: map[string][]Turned{}, Pairs: map[string][]string{},
		TurnsLeft: maxTurns - s.turns,
	}
	for _, side := range game.Sides(seat) {
		out.Last[side.Name] = s.cardsAt(s.last[side.Seat])
		out.Pairs[side.Name] = s.table.pairs(side.Seat)
	}
	return out
}

// shown reports whether a card lies face up or is taken.
func (s *state) shown(cell int) bool {
	if s.table.taken[cell] || slices.Contains(s.open, cell) {
		return true
	}
	return len(s.open) == 0 && slices.Contains(s.newest, cell)
}

// cardsAt returns the cards of some cells.
func (s *state) cardsAt(some []int) []Turned {
	out := []Turned{}
	for _, cell := range some {
		out = append(out, Turned{At: cell, Card: s.table.cards[cell]})
	}
	return out
}

// reveal returns the information that is public at the end: the position and the owner of every card.
func (s *state) reveal() map[string]any {
	pairs := map[string][]string{}
	for _, side := range game.Sides(-1) {
		pairs[side.Name] = s.table.pairs(side.Seat)
	}
	return map[string]any{"board": s.table.rows(func(int) bool { return true }), "pairs": pairs}
}
