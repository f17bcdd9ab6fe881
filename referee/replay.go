package referee

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"agentleague/game"
	"agentleague/game/draw"
	"agentleague/protocol"
)

// A replay recomputes a match from its moves and its draw key, without calling the players.
type replay struct {
	scoresheet
	state game.State
	turn  int
	sworn map[game.Seat]*signature // the players' signatures
}

// playedAgain replays the moves of a report with a draw key and returns the state after the last move.
func playedAgain(rules game.Game, key []byte, r *protocol.MatchResultReport, playerA, playerB string) (*replay, error) {
	state, err := rules.Start(2, draw.New(key))
	if err != nil {
		return nil, fmt.Errorf("game_type: %w", err)
	}
	p := &replay{state: state, scoresheet: scoresheet{
		rules: rules, players: []string{playerA, playerB}, scoring: protocol.DefaultScoring, moves: r.Moves,
	}}
	if p.sworn, err = p.signatures(r.Signed); err != nil {
		return nil, err
	}
	return p, p.run()
}

// signatures indexes the signed answers of a report by seat.
func (p *replay) signatures(signed map[string]protocol.SignedAnswers) (map[game.Seat]*signature, error) {
	sworn := map[game.Seat]*signature{}
	for _, id := range slices.Sorted(maps.Keys(signed)) {
		seat, plays := p.seatOf(id)
		switch {
		case !plays:
			return nil, fmt.Errorf("signed: %q does not play in this match", id)
		case len(signed[id].Answers) == 0:
			return nil, fmt.Errorf("signed.%s: no answer is there", id)
		}
		sworn[seat] = &signature{id: id, rest: signed[id].Answers}
	}
	return sworn, nil
}

// result returns the result of a match that was played to its end.
func (p *replay) result() (*protocol.GameResult, error) {
	end, over := p.state.Outcome()
	if !over {
		return nil, errors.New("moves: the match does not end with them")
	}
	if err := p.verifyEnd(nil, nil); err != nil {
		return nil, err
	}
	out := p.ruled(end)
	return &out, nil
}

// run applies the moves in the order of their turns.
func (p *replay) run() error {
	for moves := p.moves; len(moves) > 0; p.turn++ {
		step := map[game.Seat]game.Move{}
		for len(moves) > 0 && moves[0].Turn == p.turn {
			id := moves[0].PlayerID
			seat, plays := p.seatOf(id)
			if !plays {
				return fmt.Errorf("moves: %q does not play in this match", id)
			}
			if step[seat] != nil {
				return fmt.Errorf("moves: turn %d: %s moves twice", p.turn, id)
			}
			step[seat] = moves[0].Move
			moves = moves[1:]
		}
		if len(step) == 0 {
			return fmt.Errorf("moves: turn %d is missing", p.turn)
		}
		if err := p.verifyTurn(step); err != nil {
			return err
		}
		if err := p.state.Apply(step); err != nil {
			return fmt.Errorf("moves: turn %d: %w", p.turn, err)
		}
	}
	return nil
}

// seatOf returns the seat of a player, and whether the player is in this match.
func (p *replay) seatOf(player string) (seat game.Seat, plays bool) {
	i := slices.Index(p.players, player)
	return game.Seat(i), i >= 0
}
