package gametest

import (
	"fmt"

	"agentleague/game"
)

// otherKeys is the number of other keys under which a match is repeated if guests may judge the game.
const otherKeys = 6

// checkLateChance requires that a game that guests may judge does not depend on chance before
// the match is over. It repeats the moves under other keys and compares the seats to move,
// the views and the legal moves of every position.
func checkLateChance(g game.Game, seed int, played record) error {
	info := g.Info()
	seats := info.MinSeats + seed%(info.MaxSeats-info.MinSeats+1)
	for other := 1; other <= otherKeys; other++ {
		one, err := g.Start(seats, rngOf(seed))
		if err != nil {
			return err
		}
		two, err := g.Start(seats, rngOf(-other-seed*otherKeys)) // no match of this suite has that key
		if err != nil {
			return err
		}
		if err := comparePositions(position{info: info, seats: seats, state: one}, position{
			info: info, seats: seats, state: two,
		}, played); err != nil {
			return fmt.Errorf("guests may judge, but chance comes before the last move: %w", err)
		}
	}
	return nil
}

// comparePositions plays the same moves in two matches and returns an error for the first position in which they differ.
func comparePositions(a, b position, played record) error {
	for _, now := range played.steps {
		if x, y := a.open(), b.open(); x != y {
			return fmt.Errorf("turn %d: under one key it is %s, under another %s", a.turn, x, y)
		}
		if err := a.apply(now.moves); err != nil {
			return err
		}
		if err := b.apply(now.moves); err != nil {
			return fmt.Errorf("turn %d: under another key: %w", b.turn, err)
		}
		a.turn++
		b.turn++
	}
	_, over := a.state.Outcome()
	if _, alike := b.state.Outcome(); over != alike {
		return fmt.Errorf("turn %d: under one key it is over, under another not", a.turn)
	}
	return nil
}

// open returns all observable facts of a position that is not over: the seats to move, their views, and the legal
// moves, offered or not.
func (p position) open() string {
	text := fmt.Sprint(p.state.ToMove())
	for _, v := range append(p.views(), p.state.View(-1)) {
		text += v.Text()
	}
	for seat := range game.Seat(p.seats) {
		text += p.legal(seat)
	}
	return text
}
