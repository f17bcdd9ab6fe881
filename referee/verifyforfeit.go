package referee

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"agentleague/game"
	"agentleague/protocol"
)

// verifyForfeit checks a match that ended by a forfeit, as far as that is possible.
func (p *replay) verifyForfeit(r protocol.ReportedResult, over bool) error {
	d := r.Details
	switch {
	case over:
		return errors.New("result.details.status: the moves end the match, nobody can have forfeited")
	case d.DrawnNumber.Value != nil:
		return errors.New("result.details.drawn_number: nothing is drawn when a player forfeits")
	case d.NumberParity.Value != nil:
		return errors.New("result.details.number_parity: nothing is drawn when a player forfeits")
	case len(d.Forfeits) == 0:
		return errors.New("result.details.forfeits: nobody forfeited")
	}
	for _, id := range slices.Sorted(maps.Keys(d.Forfeits)) {
		seat, plays := p.seatOf(id)
		if !plays {
			return fmt.Errorf("result.details.forfeits: %q does not play in this match", id)
		}
		if len(p.moves) > 0 && !slices.Contains(p.state.ToMove(), seat) {
			return fmt.Errorf("result.details.forfeits: %s was not to move", id)
		}
	}
	var winner *string
	for _, id := range p.players {
		if _, lost := d.Forfeits[id]; !lost {
			winner = &id
		}
	}
	if !reflect.DeepEqual(r.Winner, winner) {
		return fmt.Errorf("result.winner: got %s, want %s", show(r.Winner), show(winner))
	}
	unplayed := map[game.Seat]game.Move{}
	if err := p.verifyEnd(d.Forfeits, unplayed); err != nil {
		return err
	}
	return p.verifySealed(d, unplayed)
}

// verifySealed checks the choices of a match with a forfeit. Of the moves that were not played, only that of a player
// without a forfeit may be reported; if the player signs, it must be the signed move.
func (p *replay) verifySealed(d protocol.ReportDetails, signed map[game.Seat]game.Move) error {
	oneStep := p.rules.Info().MaxTurns == 1
	want := p.choices(oneStep, nil)
	for i, id := range p.players {
		seat := game.Seat(i)
		got, there := d.Choices[id]
		_, lost := d.Forfeits[id]
		unplayed := there && !lost && string(want[id]) == "null" && oneStep
		switch {
		case !unplayed:
		case p.sworn[seat] != nil:
			if mv, ok := signed[seat]; ok {
				want[id] = mv
			}
		case p.state.Check(seat, got) == nil:
			want[id] = got
		}
	}
	return compareChoices(d.Choices, want)
}
