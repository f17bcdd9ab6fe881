package protocol

import (
	"encoding/json"
	"reflect"
	"testing"
)

// Whatever is written by plan is written as encoding/json does, nil lists and maps included.
func TestMarshalWritesAsEncodingJSON(t *testing.T) {
	report := examplesByType(t)[TypeMatchResultReport].(*MatchResultReport)
	for _, v := range []any{
		SignedAnswers{}, SignedAnswers{Answers: []SignedAnswer{{Move: `"even"`}, {Move: "é<\xff", Turn: -1}}},
		ReportedResult{}, report.Result, GameResult{}, RoundCompleted{}, *report, MoveRequest{},
		MoveRequest{ValidOptions: []json.RawMessage{json.RawMessage(` [1, 2]`), nil}},
		map[string]int{"a": 1}, 7, "text", []string(nil), Rating{}, struct{ At any }{1},
	} {
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Marshal(v)
		if err != nil || string(got) != string(want) {
			t.Errorf("%T: got %s, %v\nwant %s", v, got, err, want)
		}
	}
	if _, err := Marshal(MoveData{Choice: json.RawMessage(`{`)}); err == nil {
		t.Error("what is no JSON was written")
	}
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
