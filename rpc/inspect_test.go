package rpc_test

import (
	"testing"

	"agentleague/protocol"
	"agentleague/rpc"
)

// A manager passes on only bodies that are messages, so no other body has a type.
func FuzzSummarize(f *testing.F) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"choose_parity","params":{"message_type":"CHOOSE_PARITY_CALL","match_id":"R1M1","auth_token":"t"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"choose_parity","arguments":{}}}`,
		`{"message_type":"GAME_OVER"}`, `[]`, `[{}]`, `{"a":1,"a":2}`, ``, `null`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		s, ok := rpc.Summarize(body)
		if ok != (len(s.Types) > 0) {
			t.Errorf("%q: %v, %+v", body, ok, s)
		}
		for _, kind := range s.Types {
			if _, known := protocol.Lookup(kind); !known {
				t.Errorf("%q: unknown type %q", body, kind)
			}
		}
	})
}
