package config

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// wantIndented compares a document with the output of encoding/json for the same value.
func wantIndented(t *testing.T, v any) {
	t.Helper()
	var want bytes.Buffer
	e := json.NewEncoder(&want)
	e.SetEscapeHTML(false)
	e.SetIndent("", indentation)
	wanted := e.Encode(v)
	got, err := Document(v)
	if (err == nil) != (wanted == nil) || err == nil && !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%#v:\ngot  %s, %v\nwant %s, %v", v, got, err, &want, wanted)
	}
}

func TestADocumentIsIndentedAsEncodingJSONDoes(t *testing.T) {
	type empty struct{}
	for _, v := range []any{
		nil, 0, "", true, -1.5e-9, []int{}, []int(nil), map[string]int{}, empty{}, []any{[]any{}, empty{}, []any{empty{}}},
		[]string{`"`, `\`, `\"`, "{[,:]}", "<&>", "\u2028", "\n\x00\xff", "ü"},
		map[string]any{`a"b`: []any{1, map[string]any{"c": nil, "d": "x:y"}}, "": []int{1, 2}},
		json.RawMessage(" { \"a\" : [ ] ,\n \"b\": [ 1 , { } ] } "), List[int](nil), List[string]{"<"},
		func() {}, json.RawMessage(`{`),
	} {
		wantIndented(t, v)
	}
	deep := json.RawMessage(strings.Repeat("[", 200) + strings.Repeat("]", 200))
	wantIndented(t, deep)
}

// A noted is a struct that is written by plan.
type noted struct {
	Text string          `json:"text"`
	Raw  json.RawMessage `json:"raw"`
	List []string        `json:"list,omitempty"`
}

func TestAPlannedDocumentIsWrittenAsEncodingJSONDoes(t *testing.T) {
	for _, text := range []string{"", "plain", "<&>", `\u003c`, `"\`, "\u2028", "\n\x00\xff", "ü"} {
		for _, raw := range []string{"", "null", `{"a":[1,2]}`, ` { "a" : "<" } `, `"\u003c"`, "\"\u2028\"", "{"} {
			wantIndented(t, noted{Text: text, Raw: json.RawMessage(raw)})
			wantIndented(t, &noted{Text: "x", Raw: json.RawMessage(raw), List: []string{text, ""}})
		}
	}
}

func FuzzDocument(f *testing.F) {
	for _, text := range []string{`{"a":[1,{},[]],"b":"\"{"}`, `[]`, `"x"`, `1e9`, "[[ ]\n]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		wantIndented(t, json.RawMessage(text))
		wantIndented(t, noted{Text: string(text), Raw: text})
		var v any
		if json.Unmarshal(text, &v) == nil {
			wantIndented(t, v)
		}
	})
}
