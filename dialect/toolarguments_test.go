package dialect

import (
	"encoding/json"
	"strings"
	"testing"

	"agentleague/protocol"
)

// aChoice asks for a choice of parity.
func aChoice() *protocol.ChooseParityCall {
	return &protocol.ChooseParityCall{
		Envelope: protocol.Envelope{
			Protocol: protocol.Version, MessageType: protocol.TypeChooseParityCall, Sender: "referee:REF01", RoundID: 3,
			MatchID: "R3M1",
		},
		PlayerID: "P01", GameType: exGame, Context: protocol.ChooseContext{OpponentID: "P02", RoundID: 3},
		Deadline: "2026-01-01T00:00:30Z",
	}
}

func TestArgumentsInTheToolsOwnWords(t *testing.T) {
	whole, _ := protocol.Encode(aChoice())
	text := string(marshalOr(string(whole), nil))
	for _, c := range []struct{ name, schema, want string }{
		{"camel case", `{"properties":{"matchId":{"type":"string"},"opponentID":{"type":"string"},"roundNumber":{"type":"integer"}}}`,
			`{"matchId":"R3M1","opponentID":"P02","roundNumber":3}`},
		{"kebab case", `{"properties":{"match-id":{"type":"string"}}}`, `{"match-id":"R3M1"}`},
		{"a model by reference",
			`{"$defs":{"Call":{"properties":{"matchId":{"type":"string"},"deadline":{"type":"string"}},"required":["matchId"]}},` +
				`"properties":{"call":{"$ref":"#/$defs/Call"}},"required":["call"]}`,
			`{"call":{"deadline":"2026-01-01T00:00:30Z","matchId":"R3M1"}}`},
		{"a model of any name, in the older way",
			`{"definitions":{"X":{"type":"object","properties":{"match_id":{}}}},"properties":{"x":{"allOf":[{"$ref":"#/definitions/X"}]}}}`,
			`{"x":{"match_id":"R3M1"}}`},
		{"one that may be null",
			`{"properties":{"match_id":{"anyOf":[{"type":"null"},{"type":"string"}]},"mood":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null}}}`,
			`{"match_id":"R3M1"}`},
		{"an object of any members", `{"properties":{"params":{"type":"object"}},"required":["params"]}`,
			`{"params":` + string(whole) + `}`},
		{"one text", `{"properties":{"question":{"type":"string"}},"required":["question"]}`, `{"question":` + text + `}`},
		{"one object", `{"properties":{"x":{"type":"object"}},"required":["x"]}`, `{"x":` + string(whole) + `}`},
		{"no arguments", `{"type":"object","properties":{}}`, `{}`},
		{"no others", `{"type":"object","additionalProperties":false}`, `{}`},
		{"any others", `{"type":"object","properties":{},"additionalProperties":true}`, string(whole)},
		{"options", `{"properties":{"legalMoves":{"type":"array"}}}`, `{"legalMoves":["even","odd"]}`},
		{"a closed set", `{"properties":{"game_type":{"enum":["EVEN_ODD","chess"]},"mood":{"enum":["calm","wild"]},"tone":{"enum":["x"]}},"required":["mood"]}`,
			`{"game_type":"EVEN_ODD","mood":"calm"}`},
		{"one value", `{"properties":{"kind":{"const":"ask"},"version":{"type":"integer","default":2}},"required":["version"]}`,
			`{"kind":"ask","version":2}`},
		{"a time as a number", `{"properties":{"timeout_sec":{"type":"number"},"match_id":{}},"required":["timeout_sec"]}`,
			`{"match_id":"R3M1","timeout_sec":30}`},
		{"a reference to nothing", `{"properties":{"x":{"$ref":"#/$defs/None"},"match_id":{}},"required":["x"]}`,
			`{"match_id":"R3M1","x":""}`},
		{"a reference to itself", `{"$defs":{"A":{"$ref":"#/$defs/A"}},"properties":{"x":{"$ref":"#/$defs/A"},"match_id":{}}}`,
			`{"match_id":"R3M1"}`},
	} {
		got, err := Tool{Name: "x", Schema: json.RawMessage(c.schema)}.Arguments(aChoice())
		if err != nil || string(got) != c.want {
			t.Errorf("%s:\ngot  %s, %v\nwant %s", c.name, got, err, c.want)
		}
	}
}

// TestSchemaThatContainsItselfEnds has a hundred members in each of its objects, each of them the same again.
func TestSchemaThatContainsItselfEnds(t *testing.T) {
	properties, required := map[string]any{}, []string{}
	for i := range 100 {
		name := "p" + strings.Repeat("x", i)
		properties[name], required = map[string]string{"$ref": "#/$defs/A"}, append(required, name)
	}
	schema := marshalOr(map[string]any{
		"properties": properties, "required": required,
		"$defs": map[string]any{"A": map[string]any{"properties": properties, "required": required}},
	}, nil)
	got, err := Tool{Schema: schema}.Arguments(aChoice())
	if err != nil || len(got) > 100_000 {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

// FuzzToolSchema holds that no schema and no name makes us fail, and that all arguments are an object.
func FuzzToolSchema(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `[]`, `true`, `{"properties":{"a":true,"b":[],"message":7}}`, `{"properties":[]}`, `{"type":["null"]}`,
		`{"properties":{"x":{"$ref":"#/$defs/X"}},"$defs":{"X":{"properties":{"x":{"$ref":"#/$defs/X"}},"required":["x"]}},"required":["x"]}`,
		`{"properties":{"x":{"enum":[]},"y":{"enum":[null]},"z":{"const":null}},"required":["x","y","z"]}`,
		`{"properties":{"x":{"anyOf":[{"anyOf":[{"type":"null"}]},{"oneOf":[]}]}},"required":["x",7]}`,
	} {
		f.Add("choose_parity", "even or odd", seed)
	}
	f.Fuzz(func(t *testing.T, name, description, schema string) {
		tool := Tool{Name: name, Description: description, Schema: json.RawMessage(schema)}
		for typ := range toolSenses {
			pickTool(typ, []Tool{tool, {Name: "ping"}})
		}
		got, err := tool.Arguments(aChoice())
		if err != nil || !json.Valid(got) || !strings.HasPrefix(string(got), "{") {
			t.Errorf("%q: got %s, %v", schema, got, err)
		}
	})
}
