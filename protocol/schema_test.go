package protocol

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compiled returns the schema of t, formats included.
func compiled(t *testing.T, typ Type) *jsonschema.Schema {
	t.Helper()
	raw, err := Schema(typ)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	id := "urn:league.v2:" + string(typ)
	if err := c.AddResource(id, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func exampleValue(t *testing.T, e example) map[string]any {
	raw, err := Encode(e.message)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, raw).(map[string]any)
}

func TestSchemaAcceptsItsExamples(t *testing.T) {
	for _, e := range examples() {
		if err := compiled(t, e.message.Head().MessageType).Validate(exampleValue(t, e)); err != nil {
			t.Errorf("%s: %v", e.file, err)
		}
	}
}

func TestSchemaAcceptsTheAssignmentsConversation(t *testing.T) {
	seen := 0
	for _, d := range readDocuments(t) {
		if d.Document != "001" || !strings.HasPrefix(d.Section, "8.") {
			continue
		}
		seen++
		if err := compiled(t, d.typ()).Validate(parse(t, d.Message)); err != nil {
			t.Errorf("%v: %v", d, err)
		}
	}
	if seen != 20 {
		t.Errorf("saw %d messages of the assignment's chapter 8, want 20", seen)
	}
}

func TestSchemaRefusesAMessageWithoutARequiredMember(t *testing.T) {
	for _, e := range examples() {
		spec, _ := Lookup(e.message.Head().MessageType)
		s := compiled(t, spec.Type)
		for _, path := range append([]string{"protocol", "message_type", "sender", "timestamp", "conversation_id"},
			spec.Required...) {
			v := exampleValue(t, e)
			holder, name := v, path
			for {
				outer, inner, nested := strings.Cut(name, ".")
				if !nested {
					break
				}
				holder, name = holder[outer].(map[string]any), inner
			}
			if _, there := holder[name]; !there {
				t.Errorf("%s lacks %s", e.file, path)
			}
			delete(holder, name)
			if s.Validate(v) == nil {
				t.Errorf("%s without %s was accepted", e.file, path)
			}
		}
	}
}

// TestSchemaRefusesEveryWrongValue walks over each example beside its schema
// and puts a value of each other kind in the place of every member.
func TestSchemaRefusesEveryWrongValue(t *testing.T) {
	w := wrongs{t: t}
	for _, e := range examples() {
		typ := e.message.Head().MessageType
		raw, _ := Schema(typ)
		v := exampleValue(t, e)
		w.schema, w.whole, w.file = compiled(t, typ), v, e.file
		w.object(parse(t, raw).(map[string]any), v, "")
	}
	if w.types < 1000 || w.words < 150 {
		t.Errorf("tried %d wrong types and %d wrong words, want more", w.types, w.words)
	}
}

type wrongs struct {
	t            *testing.T
	schema       *jsonschema.Schema
	whole        any
	file         string
	types, words int
}

func (w *wrongs) object(s, v map[string]any, path string) {
	members, _ := s["properties"].(map[string]any)
	for name, member := range members {
		if _, there := v[name]; there {
			w.value(member.(map[string]any), v[name], path+"."+name, func(x any) { v[name] = x })
		}
	}
	if every, ok := s["additionalProperties"].(map[string]any); ok {
		for name := range maps.Clone(v) {
			w.value(every, v[name], path+"."+name, func(x any) { v[name] = x })
		}
	}
}

func (w *wrongs) value(s map[string]any, v any, path string, set func(any)) {
	allowed := fmt.Sprint(s["type"])
	for kind, wrong := range map[string]any{
		"string": "seven", "integer": 7.0, "number": 7.5, "boolean": true, "array": []any{},
		"object": map[string]any{}, "null": nil,
	} {
		if s["const"] == nil && (s["type"] == nil || strings.Contains(allowed, kind) ||
			kind == "integer" && strings.Contains(allowed, "number")) { // a whole number is a number
			continue
		}
		w.types++
		w.refused(set, v, wrong, path)
	}
	if s["enum"] != nil || s["const"] != nil || s["format"] != nil {
		w.words++
		w.refused(set, v, "NEITHER_OF_THESE", path)
	}
	switch v := v.(type) {
	case map[string]any:
		w.object(s, v, path)
	case []any:
		if items, ok := s["items"].(map[string]any); ok && len(v) > 0 {
			w.value(items, v[0], path+"[0]", func(x any) { v[0] = x })
		}
	}
}

func (w *wrongs) refused(set func(any), right, wrong any, path string) {
	set(wrong)
	if w.schema.Validate(w.whole) == nil {
		w.t.Errorf("%s: %s was accepted as %#v", w.file, path, wrong)
	}
	set(right)
}

func TestSchemaDemandsUTC(t *testing.T) {
	s := compiled(t, TypePing)
	for stamp, valid := range map[string]bool{
		"2025-01-15T10:30:00Z": true, "2025-01-15T10:30:00+00:00": true, "2025-01-15T10:30:00.25Z": true,
		"2025-01-15T10:30:00+02:00": false, "2025-01-15T10:30:00": false, "20250115T103000Z": false,
	} {
		v := map[string]any{
			"protocol": Version, "message_type": "PING", "sender": "player:P01", "timestamp": stamp, "conversation_id": "c",
		}
		if err := s.Validate(v); (err == nil) != valid {
			t.Errorf("%s: got %v, want valid %v", stamp, err, valid)
		}
	}
}

func TestSchemaCountsRoundsFromOne(t *testing.T) {
	s := compiled(t, TypeRoundCompleted)
	for _, e := range examples() {
		if e.message.Head().MessageType != TypeRoundCompleted {
			continue
		}
		v := exampleValue(t, e)
		if v["next_round_id"] = nil; s.Validate(v) != nil {
			t.Error("next_round_id null was refused")
		}
		if v["next_round_id"] = 0.0; s.Validate(v) == nil {
			t.Error("next_round_id 0 was accepted")
		}
	}
}

func TestSchemaKnowsNoOtherMessage(t *testing.T) {
	if _, err := Schema("GAME_UNDER"); err == nil || !strings.Contains(err.Error(), "GAME_UNDER") {
		t.Errorf("got %v, want an error that names GAME_UNDER", err)
	}
}

// TestTableNamesMembersThatExist guards the table's words against misspelling.
func TestTableNamesMembersThatExist(t *testing.T) {
	for _, spec := range Specs() {
		for _, path := range append(append([]string(nil), spec.Needs...), spec.Required...) {
			typ := reflect.TypeOf(spec.New()).Elem()
			for _, name := range strings.Split(path, ".") {
				member, ok := membersOf(typ)[name]
				if !ok {
					t.Errorf("%s: nothing is called %s", spec.Type, path)
					break
				}
				typ = member
			}
		}
	}
}

// TestEmptyMessagesHaveNoNullLists: peers walk over every list and object that they are sent.
func TestEmptyMessagesHaveNoNullLists(t *testing.T) {
	for _, spec := range Specs() {
		m := spec.New()
		if state, ok := m.(*MatchState); ok {
			state.GameResult = &GameResult{}
		}
		raw, err := Encode(m)
		if err != nil {
			t.Fatalf("%s: %v", spec.Type, err)
		}
		schema, _ := Schema(spec.Type)
		noNullLists(t, string(spec.Type), parse(t, schema).(map[string]any), parse(t, raw).(map[string]any))
	}
}

func TestEncodeLeavesTheMessageAsItIs(t *testing.T) {
	state := &MatchState{GameResult: &GameResult{}}
	if _, err := Encode(state); err != nil || state.Players != nil || state.GameResult.Choices != nil {
		t.Errorf("got %+v, %v; want nothing filled in", state, err)
	}
}

func noNullLists(t *testing.T, path string, s, v map[string]any) {
	members := s["properties"].(map[string]any)
	for name, x := range v {
		member := members[name].(map[string]any)
		if x == nil && (member["type"] == "array" || member["type"] == "object") {
			t.Errorf("%s.%s is null", path, name)
		}
		if inner, ok := x.(map[string]any); ok && member["properties"] != nil {
			noNullLists(t, path+"."+name, member, inner)
		}
	}
}
