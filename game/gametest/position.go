package gametest

import (
	"bytes"
	"encoding/json"
	"fmt"

	"agentleague/game"
)

// A position is a match between two steps.
type position struct {
	info  game.Info
	seats int
	turn  int
	state game.State
}

// A law must hold in every position. It may only try moves that are refused, so that it leaves the position unchanged.
type law struct {
	name  string
	holds func(position) error
}

var laws = []law{
	{"seats to move are at the table, and none are when over", seatsToMove},
	{"a view is its seat's own and asks those to move", viewsAsk},
	{"a position has one text for each seat", viewsHaveTexts},
	{"offered options are legal", optionsAreLegal},
	{"garbage is illegal", garbageIsIllegal},
	{"moves out of turn are illegal", strangersAreRefused},
	{"wrong seats are refused", wrongSeatsAreRefused},
	{"illegal moves are refused", illegalMovesAreRefused},
	{"an outcome is complete", outcomeIsComplete},
	{"a board is a grid", boardsAreGrids},
	{"spectators see the same", spectatorsAreStrangers},
	{"what is returned belongs to the caller", returnedIsOwned},
}

// checkPosition returns an error for the first law that does not hold or that changed the position.
func checkPosition(p position) error {
	before, err := p.snapshot()
	if err != nil {
		return err
	}
	for _, l := range laws {
		if err := l.holds(p); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		after, err := p.snapshot()
		if err != nil || after != before {
			return fmt.Errorf("%s: the state changed: got %s, want %s, error %v", l.name, after, before, err)
		}
	}
	return nil
}

// snapshot returns everything observable in a position, as independent text.
func (p position) snapshot() (string, error) {
	outcome, over := p.state.Outcome()
	b, err := json.Marshal(map[string]any{
		"to_move": p.state.ToMove(), "views": append(p.views(), p.state.View(-1)),
		"outcome": outcome, "over": over,
	})
	if err != nil {
		return "", fmt.Errorf("a view or an outcome is not JSON: %w", err)
	}
	return string(b), nil
}

// views returns the view of each seat.
func (p position) views() []game.View {
	var views []game.View
	for seat := range game.Seat(p.seats) {
		views = append(views, p.state.View(seat))
	}
	return views
}

// strangers returns the seats that are not to move, and two seats outside the match.
func (p position) strangers() []game.Seat {
	toMove := map[game.Seat]bool{}
	for _, seat := range p.state.ToMove() {
		toMove[seat] = true
	}
	var rest []game.Seat
	for seat := game.Seat(-1); seat <= game.Seat(p.seats); seat++ {
		if !toMove[seat] {
			rest = append(rest, seat)
		}
	}
	return rest
}

// moves returns an option for each seat to move. pick returns its index, 0 to n-1.
func (p position) moves(pick func(n int) int) map[game.Seat]game.Move {
	moves := map[game.Seat]game.Move{}
	for _, seat := range p.state.ToMove() {
		options := p.state.View(seat).Options
		moves[seat] = options[pick(len(options))]
	}
	return moves
}

// someMoves returns the first option of each seat to move.
func (p position) someMoves() map[game.Seat]game.Move {
	return p.moves(func(int) int { return 0 })
}

// apply plays legal moves, and overwrites them afterwards to check that the state has kept no reference to them.
func (p position) apply(moves map[game.Seat]game.Move) error {
	given := map[game.Seat]game.Move{}
	for seat, m := range moves {
		given[seat] = bytes.Clone(m)
	}
	if err := p.state.Apply(given); err != nil {
		return fmt.Errorf("legal moves are refused: %w", err)
	}
	before, _ := p.snapshot()
	for _, m := range given {
		overwrite(m)
	}
	clear(given)
	if after, _ := p.snapshot(); after != before {
		return fmt.Errorf("the state kept the moves it was given: got %s, want %s", after, before)
	}
	return nil
}

// overwrite replaces the content of b in place.
func overwrite(b []byte) {
	for i := range b {
		b[i] = '#'
	}
}
