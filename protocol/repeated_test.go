package protocol

import (
	"bytes"
	"cmp"
	"encoding/json"
	"testing"
)

func TestRepeatedKey(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                                     "",
		`{"a":1,"b":2}`:                          "",
		`{"a":1,"a":2}`:                          "a",
		`{"a":1,"\u0061":2}`:                     "a",
		`{"\u00e9":1,"é":2}`:                     "é",
		`{"a":{"a":1},"b":{"a":1}}`:              "",
		`{"a":{"b":[1,{"c":1,"d":2,"c":3}]}}`:    "c",
		`[{"a":1},{"a":2}]`:                      "",
		`[[],[[{"x":null,"y":true,"x":false}]]]`: "x",
		`{"a":"}","b":"{\"a\":1,\"a\":2}"}`:      "",
		`{"a\"":1,"a":2,"a\\":3}`:                "",
		` { "a" : 1.5e3 , "A" : [ ] } `:          "",
		`"a"`:                                    "",
		`{"":1,"":2}`:                            `""`,
		`{"a":1,"b":{"":1,"":2}}`:                `""`,
		`{"a":1,"a":2,"b":1,"b":2}`:              "a",
		`{"b":{"c":1,"c":2},"a":1,"a":2}`:        "c",
	} {
		if got := RepeatedKey([]byte(text)); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
		if got := slowRepeatedKey([]byte(text)); got != want {
			t.Errorf("%s: the reference says %q, want %q", text, got, want)
		}
	}
}

// Text that is not JSON has no answer, but it has an end.
func TestRepeatedKeyEndsOnAnything(t *testing.T) {
	for _, text := range []string{
		"", "[}", "{]", `{"a`, `{"a":`, "[[[", `{"a\`, `"`, "}}}", `{"a":1,"a"`, "[,:}", `{5:1}`,
	} {
		RepeatedKey([]byte(text))
	}
}

// slowRepeatedKey does the same token by token.
func slowRepeatedKey(text []byte) string {
	type level struct {
		names map[string]bool // nil in a list
		key   bool            // a name comes next
	}
	var open []level
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return ""
		}
		if n := len(open); n > 0 && open[n-1].names != nil && open[n-1].key {
			if name, ok := token.(string); ok {
				if open[n-1].names[name] {
					return cmp.Or(name, `""`)
				}
				open[n-1].names[name], open[n-1].key = true, false
				continue
			}
		}
		switch token {
		case json.Delim('{'):
			open = append(open, level{map[string]bool{}, true})
			continue
		case json.Delim('['):
			open = append(open, level{})
			continue
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
		if n := len(open); n > 0 {
			open[n-1].key = true
		}
	}
}
