package referee_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/protocol"
)

func TestMoveCallCarriesThePositionAsText(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		seen := map[string]bool{}
		for _, p := range h.players {
			p.toMove = func(_ context.Context, m *protocol.GameMoveCall) (protocol.Message, error) {
				var v game.View
				if err := json.Unmarshal([]byte(m.View), &v); err != nil || v.Text() != m.View {
					t.Errorf("turn %d: view %q: %v", m.Turn, m.View, err)
				}
				if v.Turn != m.Turn || v.Ask != m.MoveRequest.MoveType || string(v.Context) != string(m.MoveRequest.Context) ||
					len(v.Options) != len(m.MoveRequest.ValidOptions) {
					t.Errorf("turn %d: the view is %s, the request %s", m.Turn, m.View, shown(m.MoveRequest))
				}
				seen[m.View] = true
				return p.move(m.MoveRequest.ValidOptions[0]), nil
			}
		}
		m := order()
		m.GameType = "tic_tac_toe"
		h.play(m)
		if moves := len(h.report().Moves); len(seen) != moves {
			t.Errorf("%d views in %d moves, want one for each", len(seen), moves)
		}
	})
}

func TestCallForAParityShowsNoPosition(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.play(order())
		for _, e := range h.heardBy("P01", protocol.TypeChooseParityCall) {
			if strings.Contains(string(e.body), `"view"`) {
				t.Errorf("got %s, want no view", e.body)
			}
		}
	})
}
