package referee

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"agentleague/game"
	"agentleague/protocol"
)

// A signature is a player's signed answers that a replay has not consumed yet.
type signature struct {
	id   string
	rest []protocol.SignedAnswer
	next int // number of the first of the rest
}

// verifyTurn checks that the moves of a turn equal the signed answers of their players. Call it before the moves are
// applied.
func (p *replay) verifyTurn(step map[game.Seat]game.Move) error {
	for _, seat := range slices.Sorted(maps.Keys(step)) {
		g, move := p.sworn[seat], step[seat]
		if g == nil {
			continue
		}
		given, err := g.take(p.turn, viewText(p.state, seat))
		if err != nil {
			return err
		}
		if len(given) == 0 || !sameMove(given[len(given)-1].Move, move) {
			return fmt.Errorf("signed.%s: turn %d: it did not sign the move %.64q, %s", g.id, p.turn, protocol.MoveText(move),
				g.instead(given))
		}
		if err := p.illegal(g, seat, given[:len(given)-1]); err != nil {
			return err
		}
	}
	return nil
}

// verifyEnd checks the signed answers that remain after the last move. They are allowed only after a forfeit: the
// opponent may have signed one legal answer, which verifyEnd adds to unplayed; all other answers must be illegal.
func (p *replay) verifyEnd(forfeits map[string]string, unplayed map[game.Seat]game.Move) error {
	for _, seat := range slices.Sorted(maps.Keys(p.sworn)) {
		g := p.sworn[seat]
		var given []protocol.SignedAnswer
		if slices.Contains(p.state.ToMove(), seat) {
			var err error
			if given, err = g.take(p.turn, viewText(p.state, seat)); err != nil {
				return err
			}
		}
		if len(g.rest) > 0 {
			return fmt.Errorf("signed.%s: answer %d, %.64q in turn %d, belongs to no turn of this match", g.id, g.next+1,
				g.rest[0].Move, g.rest[0].Turn)
		}
		code, lost := forfeits[g.id]
		last := len(given) - 1
		if !lost && last >= 0 && p.state.Check(seat, game.Move(given[last].Move)) == nil {
			unplayed[seat] = game.Move(given[last].Move)
			given = given[:last]
		}
		if err := p.illegal(g, seat, given); err != nil {
			return err
		}
		if code == protocol.InvalidMove.Code && len(given) == 0 {
			return fmt.Errorf("signed.%s: it forfeited by an illegal move (%s), but signed none in turn %d", g.id, code, p.turn)
		}
	}
	return nil
}

// illegal returns an error if one of the given answers, which were not played, is a legal move.
func (p *replay) illegal(g *signature, seat game.Seat, given []protocol.SignedAnswer) error {
	for _, a := range given {
		if p.state.Check(seat, game.Move(a.Move)) == nil {
			return fmt.Errorf("signed.%s: turn %d: it signed %.64q, which is legal and was not played", g.id, a.Turn, a.Move)
		}
	}
	return nil
}

// take removes and returns the signed answers of a turn. It returns an error if one was signed for another view than
// view.
func (g *signature) take(turn int, view string) (given []protocol.SignedAnswer, err error) {
	for len(g.rest) > 0 && g.rest[0].Turn == turn {
		if got, want := g.rest[0].View, protocol.ViewHash(view); got != want {
			return nil, fmt.Errorf("signed.%s: turn %d: it signed %.64q in another position: got the view %q, want %q", g.id,
				turn, g.rest[0].Move, got, want)
		}
		given, g.rest, g.next = append(given, g.rest[0]), g.rest[1:], g.next+1
	}
	return given, nil
}

// sameMove reports whether a signed text encodes a move. They may differ in JSON escapes, since records escape some
// characters that the player did not.
func sameMove(signed string, move game.Move) bool {
	a, errA := json.Marshal(json.RawMessage(signed))
	b, errB := json.Marshal(move)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// instead describes, for an error, the answer that was signed in place of the expected move.
func (g *signature) instead(given []protocol.SignedAnswer) string {
	if len(given) == 0 {
		return "and nothing else in that turn"
	}
	return fmt.Sprintf("but %.64q", given[len(given)-1].Move)
}
