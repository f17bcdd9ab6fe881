package referee_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"agentleague/game/catalog"
	"agentleague/protocol"
)

// Players that use up all their tries at every step, with answers as long as a transcript takes, make no record that a
// manager would not keep.
func TestLongRecordsOfTalkativePlayersAreKept(t *testing.T) {
	t.Parallel()
	const most = 16 << 20 // as package manager has it
	for _, g := range catalog.All() {
		if g.Info().Type == protocol.EvenOdd {
			continue // one step
		}
		t.Run(g.Info().Type, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				h.blunderMost()
				m := order()
				m.GameType = g.Info().Type
				h.play(m)
				rec, doc := h.record()
				if rec.Result.Status == protocol.TechnicalLoss || len(doc) > most/2 {
					t.Errorf("the match ended with %s; its record has %d bytes, want at most %d", rec.Result.Reason, len(doc), most/2)
				}
				t.Logf("%d bytes, %d tries", len(doc), len(rec.Tries))
			})
		})
	}
}

// blunderMost lets the players play first options, at the last try of each step.
func (h *harness) blunderMost() {
	nonsense := json.RawMessage(`[` + strings.Repeat(`[],`, 500) + `[]]`)
	for _, p := range h.players {
		asked := 0
		p.toMove = func(_ context.Context, m *protocol.GameMoveCall) (protocol.Message, error) {
			move := nonsense
			if asked++; asked%4 == 0 {
				move = m.MoveRequest.ValidOptions[0]
			}
			answer := p.move(move)
			answer.GameType, answer.MoveData.MoveType = m.GameType, m.MoveRequest.MoveType
			return answer, nil
		}
	}
}
