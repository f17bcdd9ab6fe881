package mcp_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// recognises checks that a referee detects players that are MCP servers, if they have registered like any other agent.
// A server with a token, with unusual tool names, or with the old transport, has to be enlisted.
func recognises(t *testing.T, players []toolPlayer) {
	t.Helper()
	for _, p := range players {
		if needs[p.Kind] != nil || strings.HasSuffix(p.URL, "/sse") {
			continue
		}
		n := rpc.NewNode("referee:REF01", rpc.Options{})
		to := rpc.Peer{Endpoint: p.URL, Dialect: "A"}
		for _, m := range []protocol.Message{invitation(), choice()} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			reply, err := n.Call(ctx, to, m)
			cancel()
			if reply == nil || err != nil {
				t.Errorf("%s: %s: got %v, %v", p.Kind, m.Head().MessageType, reply, err)
			}
		}
		got := strings.ReplaceAll(n.Dialect(to), "@/", "") // which it may have been tried at before
		if want := "A CHOOSE_PARITY_CALL=mcp GAME_INVITATION=mcp"; got != want {
			t.Errorf("%s: learned %q, want %q", p.Kind, got, want)
		}
	}
}

func envelope(t protocol.Type) protocol.Envelope {
	return protocol.Envelope{MessageType: t, ConversationID: "conv-1", LeagueID: "league", RoundID: 1, MatchID: "R1M1"}
}

func invitation() protocol.Message {
	return &protocol.GameInvitation{Envelope: envelope(protocol.TypeGameInvitation), GameType: "even_odd",
		RoleInMatch: "PLAYER_A", PlayerID: "P01", OpponentID: "P02"}
}

func choice() protocol.Message {
	return &protocol.ChooseParityCall{Envelope: envelope(protocol.TypeChooseParityCall), GameType: "even_odd", PlayerID: "P01",
		Context: protocol.ChooseContext{OpponentID: "P02", RoundID: 1}, Deadline: protocol.Stamp(time.Now().Add(time.Minute))}
}
