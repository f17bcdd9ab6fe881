package protocol

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// slowFields is ParseFields by encoding/json.
func slowFields(text []byte) (f Fields, ok bool) {
	var m map[string]json.RawMessage
	return m, json.Unmarshal(text, &m) == nil && m != nil
}

// slowGet is Get by encoding/json.
func slowGet(f Fields, path string) json.RawMessage {
	name, rest, nested := strings.Cut(path, ".")
	v, ok := f[name]
	if !ok || !nested {
		return v
	}
	inner, _ := slowFields(v)
	return slowGet(inner, rest)
}

// oddTexts are JSON and texts that resemble it.
var oddTexts = []string{
	`{}`, `{"a":1}`, ` { "a" : { "b" : null , "c" : [ 1 , {"d":"}"} ] } , "a" : 2 } `, `{"a":{"b":1,"b":{"c":"x"}}}`,
	`{"a\u0062":"\u00e9","é":"\"","":0}`, `{"a":"\ud800","b":1.5e3,"c":true,"d":{"":{"":[]}}}`,
	"{\"\xff\":\"\xfe\",\"a.b\":1}",
	`null`, `[]`, `[{"a":1}]`, `"a"`, `7`, ``, `{`, `{"a"}`, `{"a":1,}`, `{"a":1} x`, "{\"a\":\"\t\"}",
	`{"sender":"x","Sender":5,"ſender":6}`,
}

func agreesWithJSON(t *testing.T, text []byte) {
	t.Helper()
	want, ok := slowFields(text)
	got, read := ParseFields(text)
	if read != ok || ok && !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: got %q, %v; want %q, %v", text, got, read, want, ok)
	}
	for _, path := range []string{"a", "a.b", "a.b.c", "ab", "é", "", ".", "d..", "a.c.d", "context.detail"} {
		v := slowGet(want, path)
		if got := got.Get(path); string(got) != string(v) || (got == nil) != (v == nil) {
			t.Fatalf("%q at %q: got %q, want %q", text, path, got, v)
		}
		if has := v != nil && string(v) != "null"; got.Has(path) != has {
			t.Fatalf("%q at %q: has %v, want %v", text, path, !has, has)
		}
		var s *string
		is := json.Unmarshal(v, &s) == nil && s != nil
		if said, ok := got.Text(path); ok != is || is && said != *s {
			t.Fatalf("%q at %q: got the text %q, %v", text, path, said, ok)
		}
	}
	if !ok {
		return
	}
	if again, ok := slowFields(got.text()); !ok || !reflect.DeepEqual(again, got) {
		t.Fatalf("%q is written as %s", text, got.text())
	}
}

func TestFieldsAreWhatEncodingJSONReads(t *testing.T) {
	t.Parallel()
	for _, text := range oddTexts {
		agreesWithJSON(t, []byte(text))
	}
	for _, e := range examples() {
		raw, err := Encode(e.message)
		if err != nil {
			t.Fatal(err)
		}
		agreesWithJSON(t, raw)
	}
}

func FuzzFields(f *testing.F) {
	for _, text := range oddTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(agreesWithJSON)
}

func TestSettingAtAPath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, path, want string }{
		{`{}`, "a", `{"a":7}`},
		{`{}`, "a.b.c", `{"a":{"b":{"c":7}}}`},
		{`{"a":{"b":1,"x":"<"}}`, "a.b", `{"a":{"b":7,"x":"<"}}`},
		{`{"a":null}`, "a.b", `{"a":{"b":7}}`},
		{`{"a":[]}`, "a.b", `{"a":[]}`},
		{`{"a":"text"}`, "a.b", `{"a":"text"}`},
	} {
		f, _ := ParseFields([]byte(c.text))
		if f.Set(c.path, json.RawMessage("7")); string(f.text()) != c.want {
			t.Errorf("%s in %s: got %s, want %s", c.path, c.text, f.text(), c.want)
		}
	}
}

// Members that a type does not have change nothing, however similar their names are.
func TestUnknownMembersAreIgnored(t *testing.T) {
	t.Parallel()
	for _, e := range examples() {
		raw, _ := Encode(e.message)
		spec, _ := Lookup(e.message.Head().MessageType)
		f, _ := ParseFields(raw)
		want, _, wrong := unmarshal(f, spec, raw, false)
		for _, more := range []string{
			`"x":{"sender":1}`, `"Sender":5`, `"ſender":6`, `"SENDER":[]`, `"x":1,"x":2`,
		} {
			text := []byte(`{` + more + `,` + string(raw[1:]))
			f, _ := ParseFields(text)
			if got, _, err := unmarshal(f, spec, text, false); wrong != nil || err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s:\n got %+v, %v\nwant %+v, %v", text, got, err, want, wrong)
			}
		}
	}
}
