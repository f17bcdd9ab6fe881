package protocol

import (
	"bytes"
	"encoding/json"
	"regexp"
	"testing"
	"time"
)

// FuzzDecode: any input results in a message or a protocol error, and a decoded message is the same after encoding and
// decoding it again.
func FuzzDecode(f *testing.F) {
	for _, d := range readDocuments(f) {
		f.Add([]byte(d.Message), string(d.typ()), false, false)
	}
	for _, e := range examples() {
		raw, err := Encode(e.message)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(raw), string(e.message.Head().MessageType), true, true)
	}
	for _, raw := range []string{
		`{"Match_ID":1,"match_id":"R1M1"}`, `{"move_data":7,"choice":null}`, `{"data":[],"standings":{}}`,
		`{"player_meta":null,"endpoint":{}}`, `{"history":[{"round_id":"x"}]}`, `{"round_id":"ROUND_1","total":-0}`,
		`{"context":{"x":12345678901234567890,"y":[1e400]}}`, `{"records":[null,{"document":5}]}`, "{\"sender\":\"\xff\"}",
		`{"auth_token":"tok_referee__"}`,
	} {
		f.Add([]byte(raw), string(TypeGameJoinAck), false, true)
	}
	f.Fuzz(func(t *testing.T, raw []byte, hint string, strict, reply bool) {
		r := Reading{Type: Type(hint), Strict: strict, Reply: reply, Now: arrival, Conversation: "conv-new"}
		m, _, err := Decode(raw, r)
		if err != nil {
			if _, ok := err.(*Error); !ok || m != nil {
				t.Fatalf("got %v, %v; want an error of the protocol alone", m, err)
			}
			return
		}
		once, err := Encode(m)
		if err != nil {
			t.Fatalf("encode: %v", err)
		}
		again, _, err := Decode(once, r)
		if err != nil {
			t.Fatalf("decode again: %v in %s", err, once)
		}
		if a, b := typed(t, m), typed(t, again); a != b {
			t.Fatalf("got %s again, want %s", b, a)
		}
		if twice, err := Encode(again); err != nil || sorted(t, twice) != sorted(t, once) {
			t.Fatalf("got %s, %v; want %s", twice, err, once)
		}
	})
}

// typed is the encoding of m's struct, without the members that only its source has.
func typed(t *testing.T, m Message) string {
	source := m.Head().source
	defer func() { m.Head().source = source }()
	m.Head().source = nil
	raw, err := Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	return sorted(t, raw)
}

// sorted writes raw with its members in order and its numbers as they are.
func sorted(t *testing.T, raw []byte) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return string(mustMarshal(v, nil))
}

func FuzzRepeatedKey(f *testing.F) {
	for _, text := range []string{
		`{"a":1,"a":2}`, `{"a":{"b":1,"\u0062":2}}`, `[{"":1,"":2}]`, `{"a\"":[1,{}],"a\\":"}"}`, "{\"\xff\":1,\"\xfe\":2}",
		`[[[[]]],1,"{"]`, "[}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := RepeatedKey(text)
		if !json.Valid(text) {
			return
		}
		if want := slowRepeatedKey(text); got != want {
			t.Fatalf("%q: got %q, want %q", text, got, want)
		}
	})
}

func FuzzRound(f *testing.F) {
	for _, text := range []string{`1`, `"ROUND_1"`, `"R 12"`, `null`, `-0`, `1e1`, `""`, `"\ud800"`, `[]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var r, again Round
		if json.Unmarshal(text, &r) != nil {
			return
		}
		raw, err := json.Marshal(r)
		if err != nil || json.Unmarshal(raw, &again) != nil || again != r || r < 0 {
			t.Fatalf("%s: got %d, then %s and %d", text, r, raw, again)
		}
	})
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{
		"2025-01-15T10:30:00Z", "2025-01-15T10:30:00.5+00:00", "20250115T103000Z", "2025-01-15T10:30:00+02:00",
		"2025-1-15T1:30:00,5Z", "0000-01-01T00:00:00Z",
	} {
		f.Add(s)
	}
	utc := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]00:00)$`)
	f.Fuzz(func(t *testing.T, s string) {
		at, plain, err := ParseTime(s)
		if err != nil {
			return
		}
		if plain != utc.MatchString(s) {
			t.Fatalf("%q: got plain %v", s, plain)
		}
		back, plain, err := ParseTime(Stamp(at))
		if err != nil || !plain || !back.Equal(at.Truncate(time.Second)) {
			t.Fatalf("%q: got %v, then %v, %v", s, at, back, err)
		}
	})
}
