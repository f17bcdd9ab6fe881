package protocol

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
)

// The output of a plan equals that of encoding/json, including nil lists and maps.
func TestMarshalWritesAsEncodingJSON(t *testing.T) {
	report := examplesByType(t)[TypeMatchResultReport].(*MatchResultReport)
	for _, v := range []any{
		SignedAnswers{}, SignedAnswers{Answers: []SignedAnswer{{Move: `"even"`}, {Move: "é<\xff", Turn: -1}}},
		ReportedResult{}, report.Result, GameResult{}, RoundCompleted{}, *report, MoveRequest{},
		MoveRequest{ValidOptions: []json.RawMessage{json.RawMessage(` [1, 2]`), nil}},
		map[string]int{"a": 1}, 7, "text", []string(nil), Rating{}, struct{ At any }{1},
		Try{AgentMS: 0.25, OverheadMS: 1e-7}, &Try{AgentMS: 1e21, OverheadMS: math.Copysign(0, -1)}, (*Try)(nil), nil,
		MatchRecord{}, &MatchRecord{}, spelt{}, &spelt{}, measured{}, measured{math.Copysign(0, -1)}, measured{-2.5e-300},
	} {
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Marshal(v)
		if err != nil || string(got) != string(want) {
			t.Errorf("%T: got %s, %v\nwant %s", v, got, err, want)
		}
		if got, err := MarshalAppend([]byte("behind "), v); err != nil || string(got) != "behind "+string(want) {
			t.Errorf("%T: got %s, %v\nwant %s behind it", v, got, err, want)
		}
	}
	for _, v := range []any{MoveData{Choice: json.RawMessage(`{`)}, measured{math.NaN()}, measured{math.Inf(-1)}} {
		if got, err := Marshal(v); err == nil {
			t.Errorf("what is no JSON was written: %s", got)
		}
	}
}

// spelt implements json.Marshaler, but only with an address.
type spelt struct {
	A int `json:"a"`
}

func (*spelt) MarshalJSON() ([]byte, error) { return []byte(`"spelt"`), nil }

type measured struct {
	N float64 `json:"n,omitempty"`
}

// A record is hashed and kept permanently: its bytes must equal those of encoding/json.
func TestRecordsLineIsThatOfEncodingJSON(t *testing.T) {
	winner := "P<1>"
	for name, r := range map[string]MatchRecord{
		"empty": {},
		"full": {
			SchemaVersion: "1.0.0", MatchID: "R1M1", RoundID: -1, Attempt: 2,
			Lifecycle: Lifecycle{State: Finished, Transitions: []Transition{{State: "é\u2028", Timestamp: "\x00"}}},
			Transcript: []TranscriptEntry{
				{Seq: 1, Message: json.RawMessage(`{"a":[1,-0.5e+7,{"b":"\u00e9<"}],"c":null}`)}, {Message: json.RawMessage(" { } ")}, {},
			},
			Tries:    []Try{{AgentMS: 12.345, OverheadMS: 0}, {AgentMS: 1e-9, Void: true}},
			Moves:    []PlayedMove{{Move: json.RawMessage(`"even"`)}, {Turn: 1, Move: json.RawMessage("[0,1]")}},
			Signed:   map[string]SignedAnswers{"P02": {Answers: []SignedAnswer{{Move: `{"x":1}`}}}, "P01": {}},
			Usage:    map[string]Usage{"P01": {Model: "m", Moves: 1, Priced: true}, "P&2": {}},
			Fairness: Fairness{Key: "00"},
			Result: GameResult{
				WinnerPlayerID: &winner, DrawnNumber: Present(7), Choices: map[string]json.RawMessage{"P02": nil, "P01": json.RawMessage("1")},
				Details: map[string]json.RawMessage{"end": json.RawMessage(`{"a": 1}`)},
			},
		},
	} {
		want, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		got, hash, err := r.Line()
		if err != nil || string(got) != string(want) || hash != RecordHash(want) {
			t.Errorf("%s: got %s, %v\nwant %s", name, got, err, want)
		}
	}
	if writingSlot(reflect.TypeFor[MatchRecord]()) == nil || writingSlot(reflect.TypeFor[StartMatch]()) == nil {
		t.Error("a record or an order is not written by plan")
	}
}

// FuzzTight: encoding/json copies a text that is tight unchanged.
func FuzzTight(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,-0.5e+7,{"b":"\u00e9"}],"c":null}`, `"<"`, "\"\u2028\"", "\"\u2029\"", "\"…\xe2\"", "\"é\xff\"", `[]`, `{}`, `01`, `-`, `1.`, `1e`, `[1,]`, `{"a"}`, `{"a":}`,
		`"\u00e"`, `"\x"`, `"a`, `true`, `nul`, ` 1`, `1 `, `[1 ]`, "\"\x7f\"", "\"\n\"", strings.Repeat("[", 70) + strings.Repeat("]", 70),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !tight(text) {
			return
		}
		if want, err := json.Marshal(json.RawMessage(text)); err != nil || string(want) != string(text) {
			t.Fatalf("%q: tight, but it is written %q, %v", text, want, err)
		}
	})
}

func TestTightTakesWhatWeWrite(t *testing.T) {
	for _, e := range examples() {
		raw, err := Encode(e.message)
		if err != nil {
			t.Fatal(err)
		}
		if !tight(raw) {
			t.Errorf("not tight: %s", raw)
		}
	}
}

// FuzzFloat: a number is read and written by plan as encoding/json does it.
func FuzzFloat(f *testing.F) {
	for _, n := range []float64{0, 1, -1.5, 1e-6, 9.9e-7, 1e21, 9.9e20, 1e-9, 1e-10, 5e-324, math.MaxFloat64, math.Inf(1), math.NaN()} {
		f.Add(math.Float64bits(n), "1.5")
	}
	for _, text := range []string{"1e400", "-0", "01", "1.", ".5", "1e+", "-", "0x1", "1_0", "Inf", " 7 "} {
		f.Add(uint64(0), text)
	}
	f.Fuzz(func(t *testing.T, bits uint64, text string) {
		n := math.Float64frombits(bits)
		want, err := json.Marshal(n)
		if got, ok := appendFloat(nil, n); ok != (err == nil) || ok && string(got) != string(want) {
			t.Fatalf("%v: got %s, %v; want %s, %v", n, got, ok, want, err)
		}
		d := reader{scanner: scanner{text: text}}
		read, ok := d.float()
		var same float64
		if ok = ok && d.end(); ok && (json.Unmarshal([]byte(text), &same) != nil || math.Float64bits(same) != math.Float64bits(read)) {
			t.Fatalf("%q: got %v, want %v", text, read, same)
		}
	})
}

func TestMarshalTakesTwoObjects(t *testing.T) {
	report := examplesByType(t)[TypeMatchResultReport].(*MatchResultReport)
	for name, v := range map[string]any{"a result": report.Result, "signed answers": report.Signed["P01"]} {
		if writingSlot(reflect.TypeOf(v)) == nil {
			t.Errorf("%s: it is not written by plan", name)
		}
		if n := testing.AllocsPerRun(100, func() { _, _ = Marshal(v) }); n > 2 {
			t.Errorf("%s: %v objects", name, n)
		}
	}
}
