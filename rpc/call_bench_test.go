package rpc_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// native is a native peer that answers every request with one text, without an allocation.
func native(b *testing.B, result string) rpc.Peer {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = l.Close() })
	body := `{"jsonrpc":"2.0","result":` + result + `,"id":1}`
	answer := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				for in := make([]byte, 4<<10); ; {
					if _, err := c.Read(in); err != nil {
						return
					}
					_, _ = c.Write(answer)
				}
			}()
		}
	}()
	return rpc.Peer{Endpoint: "http://" + l.Addr().String() + "/mcp", Dialect: protocol.Canonical}
}

// A call as a referee makes it: expected, with a deadline, below a context that may be cancelled.
func BenchmarkCallNative(b *testing.B) {
	to := native(b, `{"protocol":"league.v2","message_type":"CHOOSE_PARITY_RESPONSE","sender":"player:P01",`+
		`"timestamp":"2026-11-17T10:00:00Z","conversation_id":"conv-1","auth_token":"tok_match_x","match_id":"R1M1",`+
		`"player_id":"P01","parity_choice":"even"}`)
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	call := &protocol.ChooseParityCall{PlayerID: "P01", Envelope: protocol.Envelope{
		MessageType: protocol.TypeChooseParityCall, ConversationID: "conv-1", MatchID: "R1M1", RoundID: 1,
	}}
	match, stop := context.WithCancel(b.Context())
	defer stop()
	b.ReportAllocs()
	for b.Loop() {
		ctx, e, err := n.Expect(match, rpc.Want{Type: protocol.TypeChooseParityResponse, Peer: to, PlayerID: "P01",
			MatchID: "R1M1", Conversation: "conv-1"})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := n.Call(rpc.Within(ctx, time.Now().Add(time.Minute)), to, call); err != nil {
			b.Fatal(err)
		}
		e.Settle()
	}
}
