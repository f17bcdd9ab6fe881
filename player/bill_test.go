package player_test

import (
	"context"
	"testing"

	"agentleague/game"
	"agentleague/player"
	"agentleague/protocol"
)

// spender takes a model of which each choice takes so much, in two parts.
var spender = player.StrategyFunc(func(ctx context.Context, v game.View) (game.Move, error) {
	player.Spend(ctx, protocol.Usage{Model: "tiny", Moves: 1, Requests: 1, InputTokens: 40, OutputTokens: 2})
	player.Spend(ctx, protocol.Usage{Requests: 1, InputTokens: 30, OutputTokens: 3})
	return v.Options[0], nil
})

func TestWhatAChoiceTookStaysInTheHistoryOnce(t *testing.T) {
	want := protocol.Usage{Model: "tiny", Moves: 1, Requests: 2, InputTokens: 70, OutputTokens: 5}
	atTable(t, spender, player.Options{}, true, func(w *table) {
		auth := w.matchToken("R1M1", 1)
		if err := w.invite("R1M1", 1, auth); err != nil {
			t.Fatal(err)
		}
		for range 3 { // repeated questions get the same answer
			if got, err := w.choose("R1M1", 1, auth); err != nil || got != `"even"` {
				t.Fatalf("got %s, %v", got, err)
			}
		}
		if err := w.over("R1M1", 1, auth, protocol.Win, 8); err != nil {
			t.Fatal(err)
		}
		h := w.agent.History()
		if len(h) != 1 || h[0].Usage == nil || *h[0].Usage != want {
			t.Errorf("the history is %+v, want one match that took %+v", h, want)
		}
	})
}

func TestSpendingOutsideOfAnAgentIsHeardByNobody(t *testing.T) {
	player.Spend(t.Context(), protocol.Usage{Moves: 1})
	player.Logger(t.Context()).Info("nobody hears this either")
	if _, err := spender.Choose(t.Context(), parity); err != nil {
		t.Error(err)
	}
}
