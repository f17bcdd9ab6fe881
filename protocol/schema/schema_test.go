package schema_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"agentleague/protocol"
	"agentleague/protocol/schema"
)

var update = flag.Bool("update", false, "write doc/schema")

// message returns the schema of a message.
func message(t *testing.T, typ protocol.Type) []byte {
	t.Helper()
	raw, err := schema.Message(typ)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// compiledMessage returns the compiled schema of a message, which also checks formats.
func compiledMessage(t *testing.T, typ protocol.Type) *jsonschema.Schema {
	t.Helper()
	return compiled(t, string(typ), message(t, typ))
}

func parse(t *testing.T, raw []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return v
}

// An example is a message of doc/message-examples, without its JSON-RPC frame.
type example struct {
	file string
	typ  protocol.Type
	text json.RawMessage
}

// examples returns the messages of doc/message-examples, which a test of package protocol derives from the code.
func examples(t *testing.T) (out []example) {
	t.Helper()
	root := os.DirFS("../../doc/message-examples")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		var frame struct {
			Params, Result json.RawMessage
			Error          struct{ Data json.RawMessage }
		}
		if err := json.Unmarshal(raw, &frame); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, text := range []json.RawMessage{frame.Params, frame.Result, frame.Error.Data} {
			if text != nil {
				typ, _ := parse(t, text)["message_type"].(string)
				out = append(out, example{name, protocol.Type(typ), text})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < len(protocol.Specs()) {
		t.Fatalf("doc/message-examples has %d messages, want one for each of %d types", len(out), len(protocol.Specs()))
	}
	return out
}

// TestDocumentedSchemasFollowFromTheCode compares doc/schema with the schemas of all messages.
//
//	go test ./protocol/schema -run TestDocumentedSchemasFollowFromTheCode -update
func TestDocumentedSchemasFollowFromTheCode(t *testing.T) {
	const root = "../../doc/schema"
	found, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil {
		t.Fatal(err)
	}
	surplus := map[string]bool{}
	for _, name := range found {
		surplus[name] = true
	}
	for _, spec := range protocol.Specs() {
		name, want := filepath.Join(root, string(spec.Type)+".json"), message(t, spec.Type)
		delete(surplus, name)
		if *update {
			if err := os.WriteFile(name, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from the code (%v): run with -update to write it", name, err)
		}
	}
	for name := range surplus {
		t.Errorf("%s is the schema of no message: remove it", name)
	}
}

func TestSchemaAcceptsItsExamples(t *testing.T) {
	for _, e := range examples(t) {
		if err := compiledMessage(t, e.typ).Validate(parse(t, e.text)); err != nil {
			t.Errorf("%s: %v", e.file, err)
		}
	}
}

func TestSchemaAcceptsTheAssignmentsConversation(t *testing.T) {
	file, err := os.Open("../testdata/documents.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	seen := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var d struct {
			Document, Section string
			Message           json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		if d.Document != "001" || !strings.HasPrefix(d.Section, "8.") {
			continue
		}
		seen++
		v := parse(t, d.Message)
		typ, _ := v["message_type"].(string)
		if err := compiledMessage(t, protocol.Type(typ)).Validate(v); err != nil {
			t.Errorf("%s §%s %s: %v", d.Document, d.Section, typ, err)
		}
	}
	if seen != 20 {
		t.Errorf("saw %d messages of the assignment's chapter 8, want 20", seen)
	}
}

func TestSchemaRefusesAMessageWithoutARequiredMember(t *testing.T) {
	for _, e := range examples(t) {
		spec, _ := protocol.Lookup(e.typ)
		s := compiledMessage(t, spec.Type)
		for _, path := range append([]string{"protocol", "message_type", "sender", "timestamp", "conversation_id"},
			spec.Required...) {
			v := parse(t, e.text)
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

// TestSchemaRefusesEveryWrongValue replaces each member of each example by a value of every type that its schema does not
// allow.
func TestSchemaRefusesEveryWrongValue(t *testing.T) {
	w := wrongs{t: t}
	for _, e := range examples(t) {
		v := parse(t, e.text)
		w.schema, w.whole, w.file = compiledMessage(t, e.typ), v, e.file
		w.object(parse(t, message(t, e.typ)), v, "")
	}
	if w.types < 1000 || w.words < 150 {
		t.Errorf("tried %d wrong types and %d wrong words, want more", w.types, w.words)
	}
}

// wrongs walks over an example and its schema, and counts the values that it replaced.
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
	s := compiledMessage(t, protocol.TypePing)
	for stamp, valid := range map[string]bool{
		"2025-01-15T10:30:00Z": true, "2025-01-15T10:30:00+00:00": true, "2025-01-15T10:30:00.25Z": true,
		"2025-01-15T10:30:00+02:00": false, "2025-01-15T10:30:00": false, "20250115T103000Z": false,
	} {
		v := map[string]any{
			"protocol": protocol.Version, "message_type": "PING", "sender": "player:P01", "timestamp": stamp, "conversation_id": "c",
		}
		if err := s.Validate(v); (err == nil) != valid {
			t.Errorf("%s: got %v, want valid %v", stamp, err, valid)
		}
	}
}

func TestSchemaCountsRoundsFromOne(t *testing.T) {
	s := compiledMessage(t, protocol.TypeRoundCompleted)
	for _, e := range examples(t) {
		if e.typ != protocol.TypeRoundCompleted {
			continue
		}
		v := parse(t, e.text)
		if v["next_round_id"] = nil; s.Validate(v) != nil {
			t.Error("next_round_id null was refused")
		}
		if v["next_round_id"] = 0.0; s.Validate(v) == nil {
			t.Error("next_round_id 0 was accepted")
		}
	}
}

func TestUnknownMessageHasNoSchema(t *testing.T) {
	if _, err := schema.Message("GAME_UNDER"); err == nil || !strings.Contains(err.Error(), "GAME_UNDER") {
		t.Errorf("got %v, want an error that names GAME_UNDER", err)
	}
}

// TestEmptyMessagesHaveNoNullLists: peers iterate over lists and objects without a check for null.
func TestEmptyMessagesHaveNoNullLists(t *testing.T) {
	for _, spec := range protocol.Specs() {
		m := spec.New()
		if state, ok := m.(*protocol.MatchState); ok {
			state.GameResult = &protocol.GameResult{}
		}
		raw, err := protocol.Encode(m)
		if err != nil {
			t.Fatalf("%s: %v", spec.Type, err)
		}
		noNullLists(t, string(spec.Type), parse(t, message(t, spec.Type)), parse(t, raw))
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
