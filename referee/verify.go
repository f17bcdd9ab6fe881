package referee

import (
	"errors"
	"fmt"

	"agentleague/game"
	"agentleague/protocol"
)

// Verify replays a reported match from its moves and its draw key, and returns an error that names the first field that
// does not follow from them. If a player's signed answers are included, every move of that player must be among them.
// Verify does not check the signatures, see [CheckSigned], nor the points, which the league defines.
func Verify(games func(gameType string) (game.Game, error), r *protocol.MatchResultReport, playerA,
	playerB string) error {
	want, err := rederive(games, r, playerA, playerB)
	if err != nil || want == nil {
		return err
	}
	return compare(r.Result, *want)
}

// VerifyLogged is like Verify for a result from a league's log, in which the outcome has no details except the drawn
// number.
func VerifyLogged(games func(gameType string) (game.Game, error), r *protocol.MatchResultReport, playerA,
	playerB string) error {
	want, err := rederive(games, r, playerA, playerB)
	if err != nil || want == nil {
		return err
	}
	want.NumberParity = r.Result.Details.NumberParity
	return compare(r.Result, *want)
}

// rederive replays a reported match and returns its result. For a match with a forfeit it returns nil, after checking
// the fields that can be checked.
func rederive(games func(gameType string) (game.Game, error), r *protocol.MatchResultReport, playerA,
	playerB string) (*protocol.GameResult, error) {
	if r.Fairness == nil {
		return nil, errors.New("fairness.key: missing")
	}
	rules, err := games(r.GameType)
	if err != nil {
		return nil, fmt.Errorf("game_type: %w", err)
	}
	lost := r.Result.Details.Status == protocol.TechnicalLoss
	key, err := parseKey("fairness.key", r.Fairness.Key)
	// a guest referee has none: nothing was drawn
	if err != nil && !(lost && r.Fairness.Key == "" && rules.Info().GuestsMayJudge) {
		return nil, err
	}
	p, err := playedAgain(rules, key, r, playerA, playerB)
	if err != nil {
		return nil, err
	}
	if lost {
		_, over := p.state.Outcome()
		return nil, p.verifyForfeit(r.Result, over)
	}
	return p.result()
}
