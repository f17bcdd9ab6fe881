package league

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"agentleague/format"
	"agentleague/league/ladder"
	"agentleague/protocol"
)

// fullState returns a state with something in everything that it holds.
func fullState(t *testing.T) *State {
	t.Helper()
	s := begun(t, 2, 4, Created{MaxForfeits: 2})
	if _, err := s.report("REF01", "R1M1", 1, protocol.ReportedResult{}); err != nil {
		t.Fatal(err)
	}
	s.write(Announced{"round", 1}, Withdrawn{ID: "P04"}, Paused{})
	return s.state
}

func TestACloneIsTheSame(t *testing.T) {
	s := fullState(t)
	if c := s.Clone(); !reflect.DeepEqual(s, c) {
		t.Errorf("got  %+v\nwant %+v", c, s)
	}
	if c := NewState().Clone(); !reflect.DeepEqual(NewState(), c) {
		t.Errorf("of an empty state: got %+v", c)
	}
}

// TestACloneSharesOnlyWhatNeverChanges walks over both states: a field that is added to one and not copied is found
// here.
func TestACloneSharesOnlyWhatNeverChanges(t *testing.T) {
	s := fullState(t)
	c := s.Clone()
	var shared []string
	walk(reflect.ValueOf(s), reflect.ValueOf(c), "State", map[uintptr]bool{}, &shared)
	for _, path := range shared {
		t.Errorf("%s is shared", path)
	}
}

// fixed are types whose values never change once a state refers to them.
var fixed = map[reflect.Type]bool{
	reflect.TypeFor[Created](): true, reflect.TypeFor[Registered](): true, reflect.TypeFor[Schedule](): true,
	reflect.TypeFor[ResultRecorded](): true, reflect.TypeFor[*format.Settings](): true, reflect.TypeFor[decided](): true,
	reflect.TypeFor[entry](): true, reflect.TypeFor[ladder.Ratings](): true,
}

// walk notes the maps, lists and pointers that a and b, which are the same, have in common.
func walk(a, b reflect.Value, path string, seen map[uintptr]bool, shared *[]string) {
	if fixed[a.Type()] || strings.HasPrefix(a.Type().String(), "time.") {
		return
	}
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() || seen[a.Pointer()] || recorded(a) {
			return
		}
		seen[a.Pointer()] = true
		if a.Pointer() == b.Pointer() {
			*shared = append(*shared, path)
			return
		}
		walk(a.Elem(), b.Elem(), path, seen, shared)
	case reflect.Struct:
		for i := range a.NumField() {
			walk(a.Field(i), b.Field(i), path+"."+a.Type().Field(i).Name, seen, shared)
		}
	case reflect.Map:
		if a.Pointer() == b.Pointer() {
			*shared = append(*shared, path)
			return
		}
		for _, k := range a.MapKeys() {
			walk(a.MapIndex(k), b.MapIndex(k), path+"[]", seen, shared)
		}
	case reflect.Slice:
		if a.Cap() > 0 && a.Pointer() == b.Pointer() {
			*shared = append(*shared, path)
			return
		}
		for i := range a.Len() {
			walk(a.Index(i), b.Index(i), path+"[]", seen, shared)
		}
	}
}

// recorded reports whether a value is a match that has its result, which no event changes any more.
func recorded(v reflect.Value) bool {
	return v.Type() == reflect.TypeFor[*Match]() && !v.Elem().FieldByName("Outcome").IsNil()
}

// TestAManagersStateForgetsOnlyTimingsAndSignatures folds a log both ways.
func TestAManagersStateForgetsOnlyTimingsAndSignatures(t *testing.T) {
	whole, lean := NewState(), NewSummaryState()
	s := begun(t, 1, 2, Created{})
	if _, err := s.report("REF01", "R1M1", 1, protocol.ReportedResult{}); err != nil {
		t.Fatal(err)
	}
	for line := range entries(s.log) {
		if err := applyEntry(whole, line); err != nil {
			t.Fatal(err)
		}
		if err := applyEntry(lean, line); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range whole.Matches {
		if m.Outcome != nil {
			m.Outcome.Timing, m.Outcome.Signed = nil, nil
		}
	}
	lean.lean = false
	if !reflect.DeepEqual(whole, lean) {
		t.Errorf("got  %+v\nwant %+v", lean, whole)
	}
}

// A manager's state derives choices from the moves if it does not store them.
func TestAManagersStateTellsChoicesThatItDoesNotHold(t *testing.T) {
	moved := func(list ...string) (out []Moved) {
		for i := 0; i < len(list); i += 2 {
			out = append(out, Moved{Turn: 1, PlayerID: list[i], Move: json.RawMessage(list[i+1])})
		}
		return out
	}
	both := map[string]json.RawMessage{"P01": json.RawMessage(`"even"`), "P02": json.RawMessage(`"odd"`)}
	for what, c := range map[string]struct {
		choices map[string]json.RawMessage
		moves   []Moved
		spared  bool
	}{
		"the moves":            {both, moved("P01", `"even"`, "P02", `"odd"`), true},
		"one of them":          {map[string]json.RawMessage{"P02": both["P02"]}, moved("P02", `"odd"`), true},
		"no moves":             {both, nil, false},
		"nothing":              {nil, nil, false},
		"no choices":           {nil, moved("P01", `"even"`, "P02", `"odd"`), false},
		"another choice":       {both, moved("P01", `"odd"`, "P02", `"odd"`), false},
		"a choice too few":     {both, moved("P01", `"even"`), false},
		"two moves of one":     {both, moved("P01", `"even"`, "P01", `"even"`), false},
		"several moves of one": {both, moved("P01", `"even"`, "P02", `"odd"`, "P01", `"even"`), false},
	} {
		e := ResultRecorded{Result: Result{Status: protocol.Win, Winner: "P01", Choices: c.choices}, Moves: c.moves}
		kept := NewSummaryState().keptPart(e)
		if spared := kept.Result.Choices == nil && c.choices != nil; spared != c.spared {
			t.Errorf("%s: spared: %v, want %v", what, spared, c.spared)
		}
		if got := kept.Choices(); !reflect.DeepEqual(got, c.choices) || !kept.says(e.Result) {
			t.Errorf("%s: got %s, want %s", what, got, c.choices)
		}
	}
}
