package dialect

import (
	"testing"

	"agentleague/protocol"
)

// FuzzRead: any input results in a message or a protocol error, and a decoded message is the same after encoding and
// decoding it again.
func FuzzRead(f *testing.F) {
	for _, d := range readDocuments(f) {
		f.Add([]byte(d.Message), string(typeOf(d.Message)), false, false)
	}
	for _, m := range examples(f) {
		f.Add([]byte(encoded(f, m)), string(m.Head().MessageType), true, true)
	}
	for _, raw := range []string{
		`{"Match_ID":1,"match_id":"R1M1"}`, `{"move_data":7,"choice":null}`, `{"data":[],"standings":{}}`,
		`{"player_meta":null,"endpoint":{}}`, `{"history":[{"round_id":"x"}]}`, `{"round_id":"ROUND_1","total":-0}`,
		`{"context":{"x":12345678901234567890,"y":[1e400]}}`, `{"records":[null,{"document":5}]}`, "{\"sender\":\"\xff\"}",
		`{"auth_token":"tok_referee__"}`,
	} {
		f.Add([]byte(raw), string(protocol.TypeGameJoinAck), false, true)
	}
	f.Fuzz(func(t *testing.T, raw []byte, hint string, strict, reply bool) {
		r := protocol.Reading{Type: protocol.Type(hint), Strict: strict, Reply: reply, Now: arrival, Conversation: "conv-new"}
		m, _, err := Read(raw, r)
		if err != nil {
			if _, ok := err.(*protocol.Error); !ok || m != nil {
				t.Fatalf("got %v, %v; want an error of the protocol alone", m, err)
			}
			return
		}
		once, err := protocol.Encode(m)
		if err != nil {
			t.Fatalf("encode: %v", err)
		}
		again, _, err := Read(once, r)
		if err != nil {
			t.Fatalf("decode again: %v in %s", err, once)
		}
		if a, b := sorted(t, inOurWords(t, m)), sorted(t, inOurWords(t, again)); a != b {
			t.Fatalf("got %s again, want %s", b, a)
		}
		if twice, err := protocol.Encode(again); err != nil || sorted(t, twice) != sorted(t, once) {
			t.Fatalf("got %s, %v; want %s", twice, err, once)
		}
	})
}
