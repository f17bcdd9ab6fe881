package referee

import (
	"errors"
	"fmt"

	"agentleague/game"
	"agentleague/protocol"
)

// Verify replays a reported match from its moves and its draw key alone, and returns an error that names the first
// field that does not follow from them. Signed answers have to fit: a move that its player did not sign, among signed
// answers, is an error. Holders of the keys check the signatures themselves. Points are not checked: the league
// defines the value of an ending.
func Verify(games func(gameType string) (game.Game, error), r *protocol.MatchResultReport, playerA,
	playerB string) error {
	want, err := rederive(games, r, playerA, playerB)
	if err != nil || want == nil {
		return err
	}
	return compare(r.Result, *want)
}

// VerifyLogged is Verify for a result as a league's log keeps it: without the game's details of its ending besides
// the drawn number.
func VerifyLogged(games func(gameType string) (game.Game, error), r *protocol.MatchResultReport, playerA,
	playerB string) error {
	want, err := rederive(games, r, playerA, playerB)
	if err != nil || want == nil {
		return err
	}
	want.NumberParity = r.Result.Details.NumberParity
	return compare(r.Result, *want)
}

// rederive replays a reported match and returns its result, or nil if a player forfeited and the checkable parts of
// that are right.
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
