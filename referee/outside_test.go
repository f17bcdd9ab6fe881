package referee_test

import (
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/wasm"
	"agentleague/game/wasm/wasmtest"
	"agentleague/protocol"
	"agentleague/referee"
)

// only returns a catalog with one game, which a module has that does something bad in its first turn.
func only(t *testing.T, what []byte) (g game.Game, games func(string) (game.Game, error)) {
	t.Helper()
	g, err := wasm.New(t.Context(), "config/games/odd.wasm", wasmtest.Broken("odd", what))
	if err != nil {
		t.Fatal(err)
	}
	return g, func(string) (game.Game, error) { return g, nil }
}

// Failing rules end the match in a draw, and do not affect the next one.
func TestRulesThatFailMakeADrawAndAreNamed(t *testing.T) {
	for name, tt := range map[string]struct {
		what []byte
		want string
	}{
		"loops":               {wasmtest.Endless, "it ran for more than 10000000 steps or went too deep"},
		"allocates endlessly": {wasmtest.Grow, "it ran for more than 10000000 steps or went too deep"},
		"traps":               {wasmtest.Trap, "it broke off with an error of its own"},
	} {
		t.Run(name, func(t *testing.T) {
			g, games := only(t, tt.what)
			withReferee(t, setting{games: games}, func(h *harness) {
				m := order()
				m.GameType, m.RulesSHA256 = "odd", game.Digest(g)
				h.play(m)
				r := h.report()
				if r.Result.Winner != nil || string(r.Result.Score["P01"]) != "1" || string(r.Result.Score["P02"]) != "1" {
					t.Errorf("got winner %v, %v, want a draw with a point each", r.Result.Winner, r.Result.Score)
				}
				want := "the rules of the game failed: " + tt.want
				for _, id := range []string{"P01", "P02"} {
					if got := h.over(id).GameResult; got.Reason != want || got.Status != protocol.Draw {
						t.Errorf("%s heard %s, %q, want a draw and %q", id, got.Status, got.Reason, want)
					}
				}
				if err := referee.Verify(games, &r, "P01", "P02"); err != nil {
					t.Errorf("verify: %v", err)
				}
				if said := h.logged(); !strings.Contains(said, "the rules of the game failed; the match is a draw") {
					t.Errorf("the log does not tell whoever runs the referee: %s", said)
				}
			})
		})
	}
}

func TestOrderForOtherRulesIsRefused(t *testing.T) {
	g, games := only(t, wasmtest.Trap)
	withReferee(t, setting{games: games}, func(h *harness) {
		m := order()
		m.GameType, m.RulesSHA256 = "odd", strings.Repeat("ab", 32)
		_, err := h.start(m)
		want := "the rules of odd here are not those of the league: their SHA-256 is " + game.Digest(g)
		if refusal(err) != "UNSUPPORTED_GAME_TYPE" || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want UNSUPPORTED_GAME_TYPE and %q", err, want)
		}
	})
	withReferee(t, setting{}, func(h *harness) {
		m := order()
		m.RulesSHA256 = strings.Repeat("ab", 32)
		if _, err := h.start(m); refusal(err) != "UNSUPPORTED_GAME_TYPE" || !strings.Contains(err.Error(), "(part of the program)") {
			t.Errorf("got %v, want UNSUPPORTED_GAME_TYPE for rules of the program", err)
		}
	})
}
