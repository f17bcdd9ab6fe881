package rpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"agentleague/protocol"
	"agentleague/rpc"
)

// FuzzAnswer gives arbitrary bodies to a node. It does not panic, and its answer is empty or JSON-RPC or, to a bare
// message, a bare one.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"ping","id":1}`,
		`{"jsonrpc":"2.0","method":"ping","params":{},"id":"é"}`,
		`{"jsonrpc":"2.0","method":"league_query","params":[42,23],"id":1.5}`,
		`{"jsonrpc":"2.0","method":"mcp_message","params":{"message_type":"LEAGUE_QUERY","query_type":"GET_STATUS"},"id":null}`,
		`{"jsonrpc":"2.0","method":"register_player","params":{"player_meta":{"display_name":"A","contact_endpoint":"http://localhost:1/mcp"}}}`,
		`{"jsonrpc":"2.0","method":"join","params":{"message_type":"GAME_JOIN_ACK","match_id":"R1M1","conversation_id":"conv-test"},"id":7}`,
		`{"jsonrpc":"2.0","method":"handle_game_invitation","params":{"match_id":"R1M1"},"id":-0}`,
		`{"jsonrpc":"2.0","method":"notify_round_completed","params":{"protocol":"league.v2","message_type":"ROUND_COMPLETED","sender":"league_manager","timestamp":"2025-01-15T10:30:00Z","conversation_id":"c","round_id":"ROUND_1"},"id":"<>"}`,
		`{"message_type":"PING"}`, `{"message_type":"FLY","conversation_id":5}`,
		`[{"jsonrpc":"2.0","method":"ping","id":1},{"foo":"boo"},{"message_type":"PING"},1,[]]`,
		`[]`, `[1,2,3]`, `{"a":1,"a":2}`, `{"jsonrpc":"2.0","method":"foobar, "params":"bar","baz]`, ` `, "\xff", `null`,
	} {
		f.Add([]byte(body), false)
		f.Add([]byte(body), true)
	}
	f.Fuzz(func(t *testing.T, body []byte, strict bool) {
		n := newManager(rpc.Options{Strict: strict})
		n.Handle(protocol.TypeGameInvitation, func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
			panic("boom")
		})
		_, e := expect(t, n, rpc.Want{Peer: rpc.Peer{Endpoint: "http://localhost:8101/mcp"}})
		defer e.Close()
		answer := n.Answer(t.Context(), rpc.From{Addr: here}, body)
		outline(t, answer)
		if id := validID(body); id != nil && !bytes.Contains(answer, append([]byte(`"id":`), id...)) {
			t.Errorf("%s\ngot %s\nwant its id", body, answer)
		}
	})
}

// validID returns the id of a single request that is valid, or nil.
func validID(body []byte) json.RawMessage {
	var m map[string]json.RawMessage
	var method string
	if json.Unmarshal(body, &m) != nil || protocol.RepeatedKey(body) != "" || !json.Valid(body) ||
		string(m["jsonrpc"]) != `"2.0"` || json.Unmarshal(m["method"], &method) != nil || m["id"] == nil {
		return nil
	}
	switch p := m["params"]; {
	case p != nil && p[0] != '{' && p[0] != '[', bytes.ContainsAny(m["id"][:1], "{[tf"),
		!bytes.Equal(bytes.ToValidUTF8(body, nil), body):
		return nil
	}
	return m["id"]
}
