package gametest

import (
	"fmt"
	"strconv"

	"agentleague/game"
)

// texts is what was legal under each text of a position, over all matches of a suite.
type texts map[string]string

// look wants a text to tell all that the legality of a move depends on: who has signed a move
// together with it can be shown to have broken the rules. Other positions have other texts.
func (t texts) look(p position) error {
	for _, seat := range p.state.ToMove() {
		text, legal := p.state.View(seat).Text(), p.legal(seat)
		key := strconv.Itoa(p.seats) + " " + text
		if before, seen := t[key]; seen && before != legal {
			return fmt.Errorf("seat %d: two positions with different legal moves have one text: %s", seat, text)
		}
		t[key] = legal
	}
	return nil
}

// legal tells for each of a list of moves whether seat may play it: those that it is offered, and small numbers.
func (p position) legal(seat game.Seat) (verdicts string) {
	moves := p.state.View(seat).Options
	for n := range 20 {
		moves = append(moves, game.Move(strconv.Itoa(n)))
	}
	for _, m := range moves {
		verdicts += strconv.FormatBool(p.state.Check(seat, m) == nil)
	}
	return verdicts
}
