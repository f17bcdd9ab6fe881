package protocol

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// paired and mapped have the same objects, as pairs and as maps. Of the second the pairs keep the names alone.
type (
	paired struct {
		Of     Pairs[Timing]                 `json:"of,omitempty"`
		Signed Pairs[Checked[SignedAnswers]] `json:"signed,omitempty"`
	}
	mapped struct {
		Of     map[string]Timing        `json:"of,omitempty"`
		Signed map[string]SignedAnswers `json:"signed,omitempty"`
	}
)

// A law of Pairs: they accept the same texts as a map with strict decoding, and have the same content.
func TestPairsAreReadAsAMapIs(t *testing.T) {
	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"P%d":{"tries":%d,"agent_us":0,"overhead_us":0}`, i, i)
		}
		return `{"of":{` + b.String()[1:] + `}}`
	}
	for _, text := range []string{
		`{"of":{"a":{"tries":1,"agent_us":2,"overhead_us":3},"b":{"tries":4,"agent_us":5,"overhead_us":6}}}`,
		`{"of":{"a":{"tries":1}},"signed":{"a":{"head":"h","answers":[{"turn":1,"move":"x"},{"turn":2,"move":"\"y\""}],"signature":"s"}}}`,
		`{"of":{"\u0061":{"tries":1,"agent_us":2,"overhead_us":3}}}`,
		`{"of":{"a":{"tries":1},"a":{"tries":1}}}`, `{"of":{"a":{"tries":1},"\u0061":{"tries":1}}}`,
		`{"of":{"a":{"Tries":1}}}`, `{"of":{"a":null}}`, `{"of":{}}`, `{"of":null}`, `{"of":[]}`, `{"of":{"a":1}}`,
		`{"signed":{"a":{"head":"h","answers":[{"turn":1,"move":"x","move":"x"}],"signature":"s"}}}`,
		`{"signed":{"a":{"head":"h","answers":[{"turn":1},null],"signature":"s"}}}`,
		`{"signed":{"a":{"head":"h","answers":[{"turn":1,"move":"x"},{"turn":"2"}],"signature":"s"}}}`,
		`{"signed":{"a":{"head":"h","answers":[],"signature":"s"},"b":{"head":"h","answers":null,"signature":"s"}}}`,
		many(mostPairs), many(mostPairs + 1),
	} {
		var want mapped
		var got paired
		wantErr, err := StrictUnmarshal([]byte(text), &want), StrictUnmarshal([]byte(text), &got)
		if (err == nil) != (wantErr == nil) {
			t.Errorf("%s: got %v, a map says %v", text, err, wantErr)
		}
		if err != nil {
			continue
		}
		if len(got.Of) != len(want.Of) || len(want.Of) > 0 && !reflect.DeepEqual(got.Of.Map(), want.Of) {
			t.Errorf("%s: got %v, want %v", text, got.Of, want.Of)
		}
		for name := range want.Signed {
			if _, ok := got.Signed.Get(name); !ok || len(got.Signed) != len(want.Signed) {
				t.Errorf("%s: got %v, want %v", text, got.Signed, want.Signed)
			}
		}
	}
	if strictSlot(reflect.TypeFor[paired]()) == nil {
		t.Error("no plan was made of pairs")
	}
}
