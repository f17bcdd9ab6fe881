package referee

import (
	"errors"
	"fmt"

	"agentleague/game"
	"agentleague/protocol"
)

// Decide replays a complete list of moves with a draw key, and returns the result under a league's scoring. Managers
// use it to decide matches of guest referees, which have no draw key.
func Decide(games func(gameType string) (game.Game, error), gameType string, moves []protocol.PlayedMove, key []byte,
	playerA, playerB string, scoring protocol.Scoring) (protocol.ReportedResult, error) {
	rules, err := games(gameType)
	if err != nil {
		return protocol.ReportedResult{}, fmt.Errorf("game_type: %w", err)
	}
	if !rules.Info().GuestsMayJudge {
		return protocol.ReportedResult{}, fmt.Errorf("game_type: %s draws before the last move", gameType)
	}
	result, err := decided(rules, moves, key, playerA, playerB, scoring)
	if err != nil {
		return protocol.ReportedResult{}, err
	}
	rec := protocol.MatchRecord{Result: *result}
	return rec.Report("").Result, nil
}

// decided replays a complete list of moves with a draw key and returns the result of the match.
func decided(rules game.Game, moves []protocol.PlayedMove, key []byte, playerA, playerB string,
	scoring protocol.Scoring) (*protocol.GameResult, error) {
	if len(key) == 0 {
		return nil, errors.New("draw key: missing")
	}
	p, err := playedAgain(rules, key, &protocol.MatchResultReport{Moves: moves}, playerA, playerB)
	if err != nil {
		return nil, err
	}
	p.scoring = scoring
	return p.result()
}
