package referee_test

import (
	"context"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/referee"
)

// banana makes a player answer every call with an invalid choice.
func banana(p *fakePlayer) {
	p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
		return p.parity(quoted("banana")), nil
	}
}

func TestAFailureThatIsNotTriedAgainCostsTheMatchAtOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		retryable []string
		script    func(*fakePlayer)
		calls     []float64
		code      string
	}{
		"silence":                      {[]string{"E004", "E009", "E010"}, muteChoice, []float64{0}, "E001"},
		"an illegal move":              {[]string{"E001"}, banana, []float64{0}, "E004"},
		"nothing is tried again":       {[]string{}, muteChoice, []float64{0}, "E001"},
		"only others are not":          {[]string{"E001"}, muteChoice, []float64{0, 32, 64, 96}, "E001"},
		"everything that may be again": {nil, banana, []float64{0, 2, 4, 6}, "E004"},
	} {
		t.Run(name, func(t *testing.T) {
			withReferee(t, setting{opts: referee.Options{Policy: referee.Policy{Retryable: tt.retryable}}}, func(h *harness) {
				tt.script(h.players["P02"])
				h.play(order())
				h.checkTimes("P02", protocol.TypeChooseParityCall, tt.calls...)
				h.checkForfeits(map[string]string{"P02": tt.code})
				errors := h.sentTo("P02", protocol.TypeGameError)
				if e := as[protocol.GameError](t, errors[len(errors)-1]); e.Retryable || e.RetryInfo.NextRetryAt != nil {
					t.Errorf("the last GAME_ERROR says that there is another try: %s", shown(e))
				}
			})
		})
	}
}

// Simultaneous failures are simultaneous forfeits, even if tries were left.
func TestBothPlayersLoseWhereOneFailureIsEnough(t *testing.T) {
	withReferee(t, setting{opts: referee.Options{Policy: referee.Policy{Retryable: []string{}}}}, func(h *harness) {
		for _, p := range h.players {
			muteChoice(p)
		}
		h.play(order())
		h.checkForfeits(map[string]string{"P01": "E001", "P02": "E001"})
	})
}

func TestAMatchIsBoundedByTheLimitOfItsGame(t *testing.T) {
	for name, tt := range map[string]struct {
		policy referee.Policy
		end    float64
	}{
		"its own":      {referee.Policy{GameLimits: map[string]time.Duration{"even_odd": 40 * time.Second}}, 40},
		"another's":    {referee.Policy{GameLimits: map[string]time.Duration{"tic_tac_toe": time.Second}}, 126},
		"none, though": {referee.Policy{MatchLimit: 40 * time.Second, GameLimits: map[string]time.Duration{"even_odd": 0}}, 126},
	} {
		t.Run(name, func(t *testing.T) {
			withReferee(t, setting{opts: referee.Options{Policy: tt.policy}}, func(h *harness) {
				muteChoice(h.players["P02"])
				h.play(order())
				h.checkTimes("P02", protocol.TypeGameOver, tt.end)
			})
		})
	}
}
