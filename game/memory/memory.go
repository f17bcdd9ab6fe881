// Package memory implements Memory: sixteen cards lie face down, and two players
// take turns to find pairs.
//
//	 0 │  1 │  2 │  3       a turn: one card, then a second one
//	 4 │  5 │  6 │  7           alike     ─▶ its player keeps them and continues
//	 8 │  9 │ 10 │ 11           different ─▶ both are turned back, the other's turn
//	12 │ 13 │ 14 │ 15
package memory

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"agentleague/game"
)

// Game implements the rules of Memory. Its zero value is ready to use.
type Game struct{}

const (
	moveType = "turn_card" // the one thing a player is asked for

	// maxTurns is the maximum number of turns of two cards in a match. Two players with perfect memory need 12 on
	// average; two players that remember nothing would need 64.
	maxTurns = 32
)

// Info describes Memory.
func (Game) Info() game.Info {
	return game.Info{
		Type:   "memory",
		Name:   "Memory",
		Module: "memory",
		Rules: "Sixteen cards, two of each letter A to H, lie face down in cells 0 to 15, numbered row by row in four " +
			"rows of four. In " +
			"its turn a player turns one card up by the number of its cell, sees it, then turns a second one. Both players see " +
			"both cards. If the letters are equal the player keeps the pair and has another turn; otherwise the cards " +
			"are turned " +
			"back and the other player has its turn. A view shows face-down cards as \"?\", the cards of the last turn, " +
			"and for each " +
			"player the two cards that it turned last; whatever was turned before has to be remembered. The match ends when all " +
			"eight pairs are taken, or after 32 turns of two cards. Most pairs win; equally many are a draw.",
		MoveTypes:    []string{moveType},
		ValidChoices: map[string][]string{moveType: {"0-15"}},
		MinSeats:     2,
		MaxSeats:     2,
		MaxTurns:     2 * maxTurns,
		SeatMatters:  true,
	}
}

// Start lays out the cards.
func (g Game) Start(seats int, rng *rand.Rand) (game.State, error) {
	if err := g.Info().CheckSeats(seats); err != nil {
		return nil, err
	}
	return &state{table: newTable(rng)}, nil
}

// state is a match: the table, the seat to move, and the turned cards.
type state struct {
	table   table
	mover   game.Seat
	open    []int    // the card that is turned up in this turn, if one is
	last    [2][]int // the cells of each seat's last whole turn
	newest  []int    // those of the last whole turn of either
	turns   int      // whole ones
	applied int
}

// ToMove returns the seat to move, or none once all pairs are taken or the turns are used up.
func (s *state) ToMove() []game.Seat {
	if s.turns == maxTurns || len(s.table.left()) == 0 {
		return nil
	}
	return []game.Seat{s.mover}
}

// View shows the table to all seats, and the cards that can be turned to the seat to move.
func (s *state) View(seat game.Seat) game.View {
	return game.Look(s, seat, s.applied, s.seen(seat), moveType, func() []game.Move { return game.Cells(s.free()) })
}

// free returns the cells of the cards that can be turned up.
func (s *state) free() []int {
	return slices.DeleteFunc(s.table.left(), func(cell int) bool { return slices.Contains(s.open, cell) })
}

// Check accepts the number of a face-down card from the seat to move.
func (s *state) Check(seat game.Seat, m game.Move) error {
	return game.CheckMove(s, seat, m, s.cellOf)
}

// cellOf parses a move as the cell of a card that can be turned up.
func (s *state) cellOf(m game.Move) (int, error) {
	cell, ok := game.Cell(m, cells)
	switch {
	case !ok:
		return 0, fmt.Errorf("use the number of a cell, a whole number from 0 to %d", cells-1)
	case slices.Contains(s.open, cell):
		return 0, fmt.Errorf("the card in cell %d is already turned up; use one of %v", cell, s.free())
	case s.table.taken[cell]:
		return 0, fmt.Errorf("the card in cell %d is taken; use one of %v", cell, s.free())
	}
	return cell, nil
}

// Apply turns up the card, and ends the turn after the second card.
func (s *state) Apply(moves map[game.Seat]game.Move) error {
	if err := game.CheckMoves(s, moves); err != nil {
		return err
	}
	for _, m := range moves { // there is one
		cell, _ := s.cellOf(m) // CheckMoves has seen that it is one
		s.open = append(s.open, cell)
	}
	s.applied++
	if len(s.open) == 2 {
		s.endTurn()
	}
	return nil
}

// endTurn gives a matching pair to the player, or passes the turn to the other player.
func (s *state) endTurn() {
	s.newest, s.last[s.mover], s.open = s.open, s.open, nil
	s.turns++
	if !s.table.take(s.newest, s.mover) {
		s.mover = 1 - s.mover
	}
}

// Outcome returns the player with more pairs.
func (s *state) Outcome() (game.Outcome, bool) {
	if len(s.ToMove()) > 0 {
		return game.Outcome{}, false
	}
	o := game.Outcome{
		Scores:  []int{len(s.table.pairs(0)), len(s.table.pairs(1))},
		Details: s.reveal(),
	}
	winner, won := o.Winner()
	switch {
	case !won:
		o.Reason = fmt.Sprintf("both have %s", pairs(o.Scores[0]))
	default:
		o.Reason = fmt.Sprintf("{%d} has %s, {%d} has %d", winner, pairs(o.Scores[winner]), 1-winner, o.Scores[1-winner])
	}
	if s.turns == maxTurns && len(s.table.left()) > 0 {
		o.Reason += fmt.Sprintf(" after %d turns", maxTurns)
	}
	return o, true
}

// pairs counts pairs in words.
func pairs(n int) string {
	if n == 1 {
		return "1 pair"
	}
	return strconv.Itoa(n) + " pairs"
}
