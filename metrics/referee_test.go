package metrics_test

import (
	"testing"
	"time"

	"agentleague/metrics"
	"agentleague/protocol"
	"agentleague/referee"
)

var _ referee.Meter = (*metrics.Referee)(nil)

func TestRefereeIsCounted(t *testing.T) {
	a := metrics.New()
	r := a.Referee()
	check(t, figures(t, a), map[string]float64{ // nothing is missing before it happens
		`league_matches_open`: 0, `league_matches_total{status="WIN"}`: 0,
		`league_tries_total{message_type="GAME_MOVE_CALL"}`: 0,
	})
	for range 4 {
		r.Began()
	}
	for _, q := range []protocol.Type{
		protocol.TypeGameInvitation, protocol.TypeGameInvitation, protocol.TypeChooseParityCall, protocol.TypeGameOver,
	} {
		r.Asked(q)
	}
	r.Tried(protocol.TypeGameInvitation, 2*time.Second, 250*time.Millisecond)
	r.Tried(protocol.TypeGameOver, time.Second, time.Second) // no question
	r.Ended(2*time.Second, &protocol.GameResult{Status: protocol.Win})
	r.Ended(3*time.Second, &protocol.GameResult{
		Status: protocol.TechnicalLoss, Forfeits: map[string]string{"P01": "E001", "P02": "E001"},
	})
	r.Ended(time.Second, nil)
	check(t, figures(t, a), map[string]float64{
		`league_matches_open`: 1,
		`league_agent_seconds_sum{message_type="GAME_INVITATION"}`:      2,
		`league_overhead_seconds_sum{message_type="GAME_INVITATION"}`:   0.25,
		`league_overhead_seconds_count{message_type="GAME_INVITATION"}`: 1,
		`league_matches_total{status="WIN"}`:                            1,
		`league_matches_total{status="TECHNICAL_LOSS"}`:                 1,
		`league_matches_total{status="GIVEN_UP"}`:                       1,
		`league_match_duration_seconds_count`:                           2,
		`league_match_duration_seconds_sum`:                             5,
		`league_forfeits_total{error_code="E001"}`:                      2,
		`league_tries_total{message_type="GAME_INVITATION"}`:            2,
		`league_tries_total{message_type="CHOOSE_PARITY_CALL"}`:         1,
	})
}
