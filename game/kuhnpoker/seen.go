package kuhnpoker

import (
	"strconv"

	"agentleague/game"
)

// Seen is the context of a view, from a seat's perspective. For a spectator the players are "first" and "second", and
// both cards are hidden.
type Seen struct {
	Hand    int            `json:"hand"` // being played, counted from 1
	Hands   int            `json:"hands"`
	Card    Card           `json:"card,omitempty"` // the seat's own
	Begins  string         `json:"begins"`         // the first to act in this hand: "you" or "opponent"
	Actions []Action       `json:"actions"`        // in this hand
	Pot     int            `json:"pot"`
	Chips   map[string]int `json:"chips"` // won so far, by side; below 0: lost
	Past    []Past         `json:"past"`  // the hands before

	Board        [][]string `json:"board"` // the same as a sheet: a row for each side, a column for each hand
	BoardRows    []string   `json:"board_rows"`
	BoardColumns []string   `json:"board_columns"`
}

// A Past is a finished hand, with the information that a seat has about it.
type Past struct {
	Begins  string          `json:"begins"`
	Actions []Action        `json:"actions"`
	Cards   map[string]Card `json:"cards"` // by side, those that the seat has seen
	Chips   map[string]int  `json:"chips"` // by side
}

// seen returns a seat's view.
func (s *state) seen(seat game.Seat) Seen {
	hand, sides := len(s.hands)-1, game.Sides(seat)
	out := Seen{
		Hand: len(s.hands), Hands: handsPerMatch, Card: s.card(hand, seat, seat), Begins: begins(hand, sides),
		Actions: append([]Action{}, s.now().Actions...), Pot: s.now().Pot(), Past: []Past{},
		Chips: game.BySide(seat, [2]int{s.chips(0), s.chips(1)}), BoardColumns: game.Numbers(handsPerMatch),
	}
	out.Board, out.BoardRows = game.Sheet(seat, func(side game.Seat) []string { return s.row(side, seat) })
	for i := range hand {
		out.Past = append(out.Past, s.past(i, seat))
	}
	return out
}

// past returns a finished hand with the information that a seat has about it.
func (s *state) past(hand int, seat game.Seat) Past {
	h, sides := s.hands[hand], game.Sides(seat)
	p := Past{Begins: begins(hand, sides), Actions: append([]Action{}, h.Actions...), Cards: map[string]Card{},
		Chips: map[string]int{}}
	for _, side := range sides {
		p.Chips[side.Name] = won(hand, h, side.Seat)
		if card := s.card(hand, side.Seat, seat); card != "" {
			p.Cards[side.Name] = card
		}
	}
	return p
}

// card returns the card of seat of in a hand if viewer may see it, because it is its own or was shown; "" otherwise.
func (s *state) card(hand int, of, viewer game.Seat) Card {
	if of != 0 && of != 1 || of != viewer && !s.hands[hand].Shown() {
		return ""
	}
	return s.hands[hand].Cards[playerIn(hand, of)]
}

// begins returns the viewer's name for the player that acts first in a hand.
func begins(hand int, sides [2]game.Side) string {
	if sides[0].Seat == seatOf(hand, 0) {
		return sides[0].Name
	}
	return sides[1].Name
}

// row returns one cell for each hand of a seat, with the cards that viewer may see.
func (s *state) row(seat, viewer game.Seat) []string {
	row := make([]string, handsPerMatch)
	for i, h := range s.hands {
		row[i] = cell(i, h, seat, s.card(i, seat, viewer))
	}
	return row
}

// cell formats one hand of a seat: "K +1", or "? -1" if its card was not shown. While the hand is in progress it is
// "K", or "K bet" once the seat has acted.
func cell(hand int, h Hand, seat game.Seat, card Card) string {
	if card == "" {
		card = "?"
	}
	if player := playerIn(hand, seat); !h.Over() {
		if len(h.Actions) > player { // no player acts twice in a hand that continues
			return string(card) + " " + string(h.Actions[player])
		}
		return string(card)
	}
	chips := won(hand, h, seat)
	if chips > 0 {
		return string(card) + " +" + strconv.Itoa(chips)
	}
	return string(card) + " " + strconv.Itoa(chips)
}

// reveal returns the information that is public at the end: the cards of all hands, seat 0's first, and the sheet with
// them.
func (s *state) reveal() map[string]any {
	var cards [][]string
	sheet := make([][]string, 2)
	for i, h := range s.hands {
		dealt := make([]string, 2)
		for seat := range game.Seat(2) {
			card := h.Cards[playerIn(i, seat)]
			dealt[seat] = string(card)
			sheet[seat] = append(sheet[seat], cell(i, h, seat, card))
		}
		cards = append(cards, dealt)
	}
	return map[string]any{
		"cards": cards, "chips": []int{s.chips(0), s.chips(1)},
		"board": sheet, "board_rows": []string{"first", "second"}, "board_columns": game.Numbers(handsPerMatch),
	}
}
