package rpc_test

import (
	"sync"
	"testing"

	"agentleague/protocol"
	"agentleague/rpc"
)

// BenchmarkFirstCall makes calls as a manager sends news: each on a goroutine that has made none before.
func BenchmarkFirstCall(b *testing.B) {
	to := native(b, `{"protocol":"league.v2","message_type":"ROUND_COMPLETED_ACK","sender":"player:P01",`+
		`"timestamp":"2026-11-17T10:00:00Z","conversation_id":"conv-1","status":"ok"}`)
	for name, begin := range map[string]func(){"stretched": rpc.Stretch, "as it comes": func() {}} {
		b.Run(name, func(b *testing.B) {
			n := rpc.NewNode("league_manager", rpc.Options{})
			var calling sync.WaitGroup
			for b.Loop() {
				for range 16 {
					calling.Go(func() {
						begin()
						m := &protocol.RoundCompleted{Envelope: protocol.Envelope{
							MessageType: protocol.TypeRoundCompleted, ConversationID: "conv-1", RoundID: 1,
						}}
						if _, err := n.Call(b.Context(), to, m); err != nil {
							b.Error(err)
						}
					})
				}
				calling.Wait()
			}
		})
	}
}
