package gametest

import (
	"fmt"
	"strconv"

	"agentleague/game"
)

// texts maps each text of a position to its legal moves, over all matches of a suite.
type texts map[string]string

// look requires that equal texts imply equal legal moves, so that a move signed together with its text proves a breach
// of the rules.
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

// legal returns the verdicts of Check on seat's options and on small numbers, as text.
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
