package referee

import (
	"errors"
	"fmt"

	"agentleague/game"
	"agentleague/protocol"
)

// Verify plays a reported match again, from its moves and its draw key alone,
// and returns an error that names the first field that does not follow from
// them. What players signed has to fit: a move that its player did not sign,
// among answers that it did, is named. Whether the signatures themselves are
// right is for those who have the keys. Points are not looked at: what an ending is worth is the league's affair.
func Verify(games func(gameType string) (game.Game, error), r *protocol.MatchResultReport, playerA,
	playerB string) error {
	want, err := rederive(games, r, playerA, playerB)
	if err != nil || want == nil {
		return err
	}
	return compare(r.Result, *want)
}

// VerifyLogged is Verify for a result as a league's log keeps it: without what
// a game tells of its end besides the number that was drawn.
func VerifyLogged(games func(gameType string) (game.Game, error), r *protocol.MatchResultReport, playerA,
	playerB string) error {
	want, err := rederive(games, r, playerA, playerB)
	if err != nil || want == nil {
		return err
	}
	want.NumberParity = r.Result.Details.NumberParity
	return compare(r.Result, *want)
}

// rederive plays a reported match again and returns how it ends, or nil if
// somebody forfeited it and what can be checked of that is right.
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
	// a guest has none: nothing was drawn
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
