package league

import (
	"reflect"
	"strings"
	"testing"

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

// fixed are types whose values never change once they stand in a state.
var fixed = map[reflect.Type]bool{
	reflect.TypeFor[Created](): true, reflect.TypeFor[Registered](): true, reflect.TypeFor[Schedule](): true,
	reflect.TypeFor[ResultRecorded](): true,
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
	whole, lean := NewState(), NewLean()
	s := begun(t, 1, 2, Created{})
	if _, err := s.report("REF01", "R1M1", 1, protocol.ReportedResult{}); err != nil {
		t.Fatal(err)
	}
	for line := range entries(s.log) {
		if err := whole.applyEntry(line); err != nil {
			t.Fatal(err)
		}
		if err := lean.applyEntry(line); err != nil {
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
