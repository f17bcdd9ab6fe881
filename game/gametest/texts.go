package gametest

import (
	"fmt"
	"strconv"

	"agentleague/game"
)

// texts maps each text of a position to its legal moves, over all matches of a suite.
type texts map[string]string

// look requires a text to contain everything that the legality of a move depends on: a move signed together with it
// then proves a breach of the rules. Other positions have other texts.
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

// legal reports for each of a list of moves whether seat may play it: its options, and small numbers.
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
