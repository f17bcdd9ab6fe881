package protocol

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// A kept is a document with everything in it that a plan can read, and something that it cannot if Share is there.
type kept struct {
	Name   string               `json:"name"`
	At     time.Time            `json:"at"`
	N      *int                 `json:"n,omitempty"`
	Inner  []inner              `json:"inner,omitempty"`
	Scores map[string]Timing    `json:"scores,omitempty"`
	Raw    json.RawMessage      `json:"raw,omitempty"`
	Share  map[string][]float64 `json:"share,omitempty"`
}

type inner struct {
	Scores map[string]Timing `json:"scores,omitempty"`
	Deeper []inner           `json:"deeper,omitempty"`
}

// A plain is a document that is read by plan.
type plain struct {
	Name   string            `json:"name"`
	At     time.Time         `json:"at"`
	N      *int              `json:"n,omitempty"`
	Scores map[string]Timing `json:"scores,omitempty"`
	Moves  []PlayedMove      `json:"moves,omitempty"`
}

// A picky is a document with a last member whose type is selected by its first.
type picky struct {
	Kind  string `json:"kind"`
	Value any    `json:"value"`
}

func (p *picky) Pick() reflect.Type {
	if p.Kind == "timing" {
		return reflect.TypeFor[Timing]()
	}
	return nil
}

func TestStrictUnmarshalNamesWhatItRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":"x"} `: "",
		` {"at":"2025-01-01T00:00:00Z","name":"x"}`:   "",
		`{"name":null,"n":null,"raw":null}`:           "",
		`{"scores":{"a":{"tries":1}},"raw":[1.5]}`:    "",
		`{"share":{"a":[0.5]}}`:                       "",
		`{"nome":"x"}`:                                `member "nome" is unknown`,
		`{"NAME":"x"}`:                                `member "NAME" is unknown: it is written "name"`,
		`{"name":"x","name":"x"}`:                     `member "name" occurs twice`,
		`{"name":"x","n\u0061me":"x"}`:                `member "name" occurs twice`,
		`{"inner":[{},{"scores":{"a":{"Tries":1}}}]}`: `member "inner.scores.a.Tries" is unknown: it is written "tries"`,
		`{"raw":{"x":[{"y":1,"y":1}]}}`:               `member "raw.y" occurs twice`,
		`{"share":{"a":[],"a":[]}}`:                   `member "share.a" occurs twice`,
		`{"name":"x"}]`:                               "invalid character ']'",
		`{"name":5}`:                                  "cannot unmarshal number",
		``:                                            "unexpected end",
		"{\"name\":\"\xff\"}":                         "not UTF-8",
	} {
		var got kept
		err := StrictUnmarshal([]byte(text), &got)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %+v, %v, want %q", text, got, err, want)
		}
	}
}

func TestStrictUnmarshalReadsATypeThatHoldsItself(t *testing.T) {
	var got inner
	if err := StrictUnmarshal([]byte(`{"deeper":[{"deeper":[{}]}]}`), &got); err != nil || len(got.Deeper[0].Deeper) != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := StrictUnmarshal([]byte(`{"deeper":[{"deeper":[{"Deeper":[]}]}]}`), &got); err == nil {
		t.Error("a member in other letters was read")
	}
}

func TestStrictUnmarshalReadsWhatWasPicked(t *testing.T) {
	var p picky
	if err := StrictUnmarshal([]byte(`{"kind":"timing","value":{"tries":2,"agent_us":3,"overhead_us":4}}`),
		&p); err != nil || p.Value != (Timing{2, 3, 4}) {
		t.Errorf("got %+v, %v", p, err)
	}
}

// FuzzStrictUnmarshal: a strictly decoded value equals that of encoding/json, without unknown or duplicate members, by
// plan and by the general path; and it is the same after encoding and decoding.
func FuzzStrictUnmarshal(f *testing.F) {
	for _, text := range []string{
		`{"name":"x","at":"2025-01-01T00:00:00Z","n":-0,"inner":[{}],"scores":{"a":{"tries":1}},"raw":{"a":[1e400]}}`,
		`{"NAME":"x"}`, `{"name":"\ud800"}`, `{"raw":{"a":1,"a":2}}`, `{"share":{"":[1]}}`, `[]`, `null`,
		`{"inner":[null]}`, `{"n":01}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		strictly[kept](t, text)
		strictly[plain](t, text)
	})
}

func strictly[T any](t *testing.T, text []byte) {
	var got, want, again T
	own := bytes.Clone(text)
	if StrictUnmarshal(own, &got) != nil {
		return
	}
	for i := range own { // the decoded value is a copy
		own[i] = '?'
	}
	if err := json.Unmarshal(text, &want); err != nil || !utf8.Valid(text) || RepeatedKey(text) != "" {
		t.Fatalf("%q was read: %v", text, err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(new(T)); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: got %+v, want %+v; %v", text, got, want, err)
	}
	out, err := json.Marshal(got)
	if err != nil {
		return // such as a year above 9999
	}
	if err := StrictUnmarshal(out, &again); err != nil {
		t.Fatalf("%q: written as %s: %v", text, out, err)
	}
}

func TestPlainDocumentsAreReadByPlan(t *testing.T) {
	for typ, want := range map[reflect.Type]bool{
		reflect.TypeFor[plain](): true, reflect.TypeFor[kept](): false, reflect.TypeFor[inner](): false,
		reflect.TypeFor[picky](): true,
	} {
		if got := strictSlot(typ) != nil; got != want {
			t.Errorf("%v is read by plan: %v, want %v", typ, got, want)
		}
	}
}

// FuzzParseRecord holds the same of records.
func FuzzParseRecord(f *testing.F) {
	whole := MatchRecord{
		SchemaVersion: "1.0.0", MatchID: "R1M1", Attempt: 1, Transcript: []TranscriptEntry{
			{Seq: 1, Message: json.RawMessage(`{"a":1}`)},
		},
		Tries: []Try{{Stage: 1, AgentMS: 0.5}}, Moves: []PlayedMove{
			{Turn: 1, PlayerID: "P01", Move: json.RawMessage(`"even"`)},
		},
		Signed: map[string]SignedAnswers{"P01": {Answers: []SignedAnswer{{Turn: 1, Move: "even"}}}},
	}
	doc, _, err := whole.Document()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(doc)
	for _, text := range []string{
		`{"match_id":"R1M1","match_id":""}`, `{"Moves":[]}`, `{"moves":[{"move":{"a":1,"a":2}}]}`, `{}`,
		`{"result":{"score":{"P01":1}}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := ParseRecord(text)
		if err != nil {
			return
		}
		if RepeatedKey(text) != "" || !utf8.Valid(text) {
			t.Fatalf("%q was read", text)
		}
		doc, hash, err := got.Document()
		if err != nil {
			t.Fatalf("%q cannot be written again: %v", text, err)
		}
		again, err := ParseRecord(doc)
		if err != nil {
			t.Fatalf("%q: written as %s: %v", text, doc, err)
		}
		if _, other, err := again.Document(); err != nil || other != hash {
			t.Fatalf("%q: got another document the second time: %v", text, err)
		}
	})
}
