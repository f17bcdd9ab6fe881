package schema_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"agentleague/protocol"
	"agentleague/protocol/schema"
)

// compiled compiles a schema with a third-party validator, which also checks formats.
func compiled(t *testing.T, name string, raw json.RawMessage) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("mem:"+name, doc); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	s, err := c.Compile("mem:" + name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

func TestArgumentsRequireOnlyNeededMembers(t *testing.T) {
	for _, c := range []struct {
		t    protocol.Type
		args string
		ok   bool
	}{
		{protocol.TypeGetStandings, `{}`, true},
		{protocol.TypeGetStandings, `{"query_params":{"limit":5},"whatever":1}`, true},
		{protocol.TypeGetStandings, `{"query_params":{"limit":"five"}}`, false},
		{protocol.TypeWithdrawPlayer, `{}`, false},
		{protocol.TypeWithdrawPlayer, `{"player_id":"P01"}`, true},
		{protocol.TypeGetMatchState, `{}`, false},
		{protocol.TypeGetMatchState, `{"match_id":"R1M1"}`, true},
		{protocol.TypeLeagueRegisterRequest, `{"player_meta":{"display_name":"A"}}`, false},
		{protocol.TypeLeagueRegisterRequest, `{}`, false},
		{protocol.TypeLeagueRegisterRequest,
			`{"player_meta":{"display_name":"A","contact_endpoint":"http://localhost:1/mcp"}}`, true},
	} {
		var args any
		if err := json.Unmarshal([]byte(c.args), &args); err != nil {
			t.Fatal(err)
		}
		err := compiled(t, string(c.t), schema.Arguments(c.t, false)).Validate(args)
		if (err == nil) != c.ok {
			t.Errorf("%s %s: got %v, want it to pass: %v", c.t, c.args, err, c.ok)
		}
	}
}

// The schema of a tool for a model omits the envelope. The schema of a tool for an agent declares every member, because
// some callers send only declared members.
func TestArgumentsOmitTheEnvelopeForModels(t *testing.T) {
	for kind, want := range map[protocol.Type]string{
		protocol.TypeStartLeague:    "auth_token league_id player_id",
		protocol.TypeGetMatchState:  "auth_token league_id match_id player_id",
		protocol.TypeGameInvitation: "attempt auth_token conversation_id game_type league_id match_id message_type protocol sender timestamp",
	} {
		var s struct {
			Properties map[string]any
			Required   []string
		}
		if err := json.Unmarshal(schema.Arguments(kind, false), &s); err != nil {
			t.Fatal(err)
		}
		got := slices.Sorted(maps.Keys(s.Properties))
		for _, name := range strings.Fields(want) {
			if !slices.Contains(got, name) {
				t.Errorf("%s mentions %q, and not %s", kind, got, name)
			}
		}
		if kind == protocol.TypeStartLeague && slices.Contains(got, "timestamp") {
			t.Errorf("%s mentions the envelope: %q", kind, got)
		}
		if err := json.Unmarshal(schema.Arguments(kind, true), &s); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(s.Required, "sender") || !slices.Contains(s.Required, "timestamp") {
			t.Errorf("%s with a whole envelope demands %q", kind, s.Required)
		}
	}
}

// Some hosts support exactly one type at each place: they drop lists of types and places without a type.
func TestToolSchemasHaveOneTypeAtEachPlace(t *testing.T) {
	var look func(where string, s map[string]any)
	look = func(where string, s map[string]any) {
		if _, several := s["type"].([]any); several || s["type"] == nil && s["const"] == nil && s["anyOf"] == nil {
			t.Errorf("%s: type %v, want one type or alternatives", where, s["type"])
		}
		inner := map[string]any{"items": s["items"], "additionalProperties": s["additionalProperties"]}
		members, _ := s["properties"].(map[string]any)
		maps.Copy(inner, members)
		for name, one := range inner {
			if one, ok := one.(map[string]any); ok {
				look(where+"."+name, one)
			}
		}
		kinds, _ := s["anyOf"].([]any)
		for _, one := range kinds {
			look(where+".anyOf", one.(map[string]any))
		}
	}
	for _, spec := range protocol.Specs() {
		if spec.Reply == "" {
			continue
		}
		for where, raw := range map[string]json.RawMessage{
			"arguments of ": schema.Arguments(spec.Type, false), "result of ": schema.Result(spec.Reply),
		} {
			var s map[string]any
			if err := json.Unmarshal(raw, &s); err != nil {
				t.Fatal(err)
			}
			look(where+string(spec.Type), s)
		}
	}
}

func TestPortableSchemasAcceptNullAndUntypedMembers(t *testing.T) {
	for _, args := range []string{
		`{"result":{"winner":null,"score":{"P01":3},"details":{"choices":{"P01":"even","P02":{"x":1}},"drawn_number":null}}}`,
		`{"result":{"winner":"P01","score":{},"details":{"choices":{},"drawn_number":4}},"fairness":null}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(args), &v); err != nil {
			t.Fatal(err)
		}
		s := compiled(t, "report", schema.Arguments(protocol.TypeMatchResultReport, false))
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestToolSchemasCompileAndResultsAreOfTheirType(t *testing.T) {
	for _, spec := range protocol.Specs() {
		if spec.Reply == "" {
			continue
		}
		compiled(t, "arguments of "+string(spec.Type), schema.Arguments(spec.Type, false))
		result := compiled(t, "result of "+string(spec.Type), schema.Result(spec.Reply))
		if err := result.Validate(map[string]any{"message_type": "SOMETHING_ELSE"}); err == nil {
			t.Errorf("%s: any message would do", spec.Reply)
		}
	}
}
