package referee

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"

	"agentleague/game"
	"agentleague/game/draw"
	"agentleague/protocol"
)

// Verify plays a reported match again, from its moves and its draw key alone,
// and returns an error that names the first difference.
func Verify(games func(gameType string) (game.Game, error), r *protocol.MatchResultReport, playerA, playerB string) error {
	if r.Fairness == nil {
		return fmt.Errorf("fairness.key: missing")
	}
	key, err := hex.DecodeString(r.Fairness.Key)
	if err != nil {
		return fmt.Errorf("fairness.key: want hexadecimal digits")
	}
	rules, err := games(r.GameType)
	if err != nil {
		return err
	}
	state, err := rules.Start(2, draw.New(key))
	if err != nil {
		return err
	}
	if err := replay(state, r.Moves, []string{playerA, playerB}); err != nil {
		return err
	}
	end, over := state.Outcome()
	if r.Result.Details.Status == protocol.TechnicalLoss {
		return verifyForfeit(r, over, playerA, playerB)
	}
	if !over {
		return fmt.Errorf("moves: the match does not end with them")
	}
	m := &match{rules: rules, start: &protocol.StartMatch{}, state: state, moves: r.Moves, seats: []*seat{
		{Contender: protocol.Contender{ID: playerA}}, {Contender: protocol.Contender{ID: playerB}, index: 1},
	}}
	want := protocol.GameResult{Score: map[string]int{}, Choices: m.choices()}
	m.ruledOutcome(&want, end)
	return compare(r.Result, want)
}

// replay plays moves by their turns.
func replay(state game.State, moves []protocol.PlayedMove, players []string) error {
	for turn := 0; len(moves) > 0; turn++ {
		step := map[game.Seat]game.Move{}
		for len(moves) > 0 && moves[0].Turn == turn {
			seat := -1
			for i, id := range players {
				if id == moves[0].PlayerID {
					seat = i
				}
			}
			if seat < 0 {
				return fmt.Errorf("moves: %q does not play in this match", moves[0].PlayerID)
			}
			step[game.Seat(seat)] = moves[0].Move
			moves = moves[1:]
		}
		if len(step) == 0 {
			return fmt.Errorf("moves: turn %d is missing", turn)
		}
		if err := state.Apply(step); err != nil {
			return fmt.Errorf("moves: turn %d: %w", turn, err)
		}
	}
	return nil
}

// verifyForfeit checks what can be checked of a match that was not played to its end.
func verifyForfeit(r *protocol.MatchResultReport, over bool, playerA, playerB string) error {
	if over {
		return fmt.Errorf("result.details.status: the moves end the match, nobody can have forfeited")
	}
	if r.Result.Details.DrawnNumber != nil {
		return fmt.Errorf("result.details.drawn_number: nothing is drawn when a player forfeits")
	}
	forfeits := r.Result.Details.Forfeits
	if len(forfeits) == 0 {
		return fmt.Errorf("result.details.forfeits: nobody forfeited")
	}
	for id := range forfeits {
		if id != playerA && id != playerB {
			return fmt.Errorf("result.details.forfeits: %q does not play in this match", id)
		}
	}
	if w := r.Result.Winner; w != nil {
		if _, lost := forfeits[*w]; lost {
			return fmt.Errorf("result.winner: %s forfeited", *w)
		}
	} else if len(forfeits) == 1 {
		return fmt.Errorf("result.winner: only one player forfeited, the other wins")
	}
	return nil
}

// compare names the first difference between a reported result and the one that follows from the moves.
func compare(got protocol.ReportedResult, want protocol.GameResult) error {
	d := got.Details
	switch {
	case d.Status != want.Status:
		return fmt.Errorf("result.details.status: got %q, want %q", d.Status, want.Status)
	case !reflect.DeepEqual(got.Winner, want.WinnerPlayerID):
		return fmt.Errorf("result.winner: got %s, want %s", show(got.Winner), show(want.WinnerPlayerID))
	case !reflect.DeepEqual(d.DrawnNumber, want.DrawnNumber):
		return fmt.Errorf("result.details.drawn_number: got %s, want %s", show(d.DrawnNumber), show(want.DrawnNumber))
	case !reflect.DeepEqual(d.NumberParity, want.NumberParity):
		return fmt.Errorf("result.details.number_parity: got %s, want %s", show(d.NumberParity), show(want.NumberParity))
	case !maps.EqualFunc(d.Choices, want.Choices, func(a, b json.RawMessage) bool { return string(a) == string(b) }):
		return fmt.Errorf("result.details.choices: got %s, want %s", show(d.Choices), show(want.Choices))
	}
	return nil
}

func show(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(b)
}
