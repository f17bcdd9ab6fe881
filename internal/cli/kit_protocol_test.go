package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"agentleague/protocol"
	"agentleague/protocol/schema"
)

type object = map[string]any

func asObject(v any) object { m, _ := v.(object); return m }

// example reads a request from the protocol's own examples, with some members
// of its message changed; nil takes one out.
func example(t *testing.T, file string, change object) object {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../doc/message-examples", file))
	if err != nil {
		t.Fatal(err)
	}
	var request object
	if err := json.Unmarshal(text, &request); err != nil {
		t.Fatal(err)
	}
	params := asObject(request["params"])
	for k, v := range change {
		if params[k] = v; v == nil {
			delete(params, k)
		}
	}
	return request
}

func (k *runningKit) post(t *testing.T, body string) (int, []byte) {
	t.Helper()
	resp, err := http.Post(k.url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, answer
}

func (k *runningKit) ask(t *testing.T, request object) object {
	t.Helper()
	body, _ := json.Marshal(request)
	status, answer := k.post(t, string(body))
	var out object
	if err := json.Unmarshal(answer, &out); err != nil || status != http.StatusOK {
		t.Fatalf("%v: HTTP %d, %s", request["method"], status, answer)
	}
	return out
}

// answers asks and holds the answer against the schema of the message that it must be.
func (k *runningKit) answers(t *testing.T, request object, want protocol.Type) object {
	t.Helper()
	got := k.ask(t, request)
	result, asked := asObject(got["result"]), asObject(request["params"])
	if result == nil {
		t.Fatalf("%v is answered with %v, want a %s", request["method"], got, want)
	}
	raw, _ := json.Marshal(result)
	fits(t, want, raw)
	if _, warnings, err := protocol.Decode(raw, protocol.Reading{Strict: true}); err != nil || len(warnings) > 0 {
		t.Errorf("%s: %v %v", want, err, warnings)
	}
	for _, same := range []string{"conversation_id", "auth_token"} {
		if result[same] != asked[same] {
			t.Errorf("%s: %s = %v, want %v as in the request", want, same, result[same], asked[same])
		}
	}
	return result
}

func fits(t *testing.T, typ protocol.Type, raw []byte) {
	t.Helper()
	text, err := schema.Message(typ)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.MustCompile("schema.json").Validate(value); err != nil {
		t.Errorf("%s: %v\n%s", typ, err, raw)
	}
}

// refuses sends a request and compares the error with the expected one.
func (k *runningKit) refuses(t *testing.T, request object, want *protocol.Kind) {
	t.Helper()
	e := asObject(k.ask(t, request)["error"])
	data := asObject(e["data"])
	for what, pair := range map[string][2]any{
		"error_code": {e["error_code"], want.Code}, "error_name": {e["error_name"], want.Name}, "message": {e["message"], want.Name},
		"error_description": {e["error_description"], want.Name}, "data.error_code": {data["error_code"], want.Code},
		"data.message_type": {data["message_type"], "GAME_ERROR"}, "data.protocol": {data["protocol"], "league.v2"},
		"data.retryable":             {data["retryable"], false},
		"data.original_message_type": {data["original_message_type"], asObject(request["params"])["message_type"]},
		"data.conversation_id":       {data["conversation_id"], asObject(request["params"])["conversation_id"]},
	} {
		if pair[0] != pair[1] {
			t.Errorf("refusal of %v with %s: %s = %v, want %v", request["method"], want.Name, what, pair[0], pair[1])
		}
	}
	if detail, _ := asObject(data["context"])["detail"].(string); detail == "" {
		t.Errorf("refusal of %v with %s: no detail", request["method"], want.Name)
	}
	raw, _ := json.Marshal(e)
	if token, _ := asObject(request["params"])["auth_token"].(string); token != "" && bytes.Contains(raw, []byte(token)) {
		t.Errorf("refusal of %v repeats the token", request["method"])
	}
}

// TestKitsKeepTheProtocol has each kit answer the protocol's own examples,
// rightly and wrongly put.
func TestKitsKeepTheProtocol(t *testing.T) {
	t.Parallel()
	for lang, tool := range tools {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			need(t, tool)
			k := startKit(t, lang, newKit(t, lang, "Kit"), nobody)
			k.playsAMatch(t)
			k.hearsNews(t)
			k.refusesWhatIsWrong(t)
			k.speaksJSONRPC(t)
			k.speaksHTTP(t)
		})
	}
}

func (k *runningKit) playsAMatch(t *testing.T) {
	call := example(t, "game-flow/move_request.json", nil)
	k.refuses(t, call, protocol.MatchNotFound)
	for range 2 {
		k.answers(t, example(t, "game-flow/game_start.json", nil), protocol.TypeGameJoinAck)
	}
	first := k.answers(t, call, protocol.TypeChooseParityResponse)
	if c := first["parity_choice"]; c != "even" && c != "odd" || c != first["choice"] {
		t.Errorf("parity_choice = %v, choice = %v", c, first["choice"])
	}
	for range 8 {
		if again := k.answers(t, call, protocol.TypeChooseParityResponse); again["parity_choice"] != first["parity_choice"] {
			t.Fatalf("asked again it says %v, first %v", again["parity_choice"], first["parity_choice"])
		}
	}
	k.refuses(t, example(t, "game-flow/move_request.json", object{"auth_token": "tok_wrong"}), protocol.AuthTokenInvalid)
	k.refuses(t, example(t, "game-flow/game_over.json", object{"auth_token": "tok_wrong"}), protocol.AuthTokenInvalid)
	k.doesNotMindAnotherInviter(t, first["parity_choice"])
	for range 2 {
		k.answers(t, example(t, "game-flow/game_over.json", nil), protocol.TypeGameOverAck)
	}
	state := k.answers(t, example(t, "game-flow/get_player_state.json", nil), protocol.TypePlayerState)
	if past, _ := state["history"].([]any); len(past) != 1 || asObject(past[0])["result"] != "WIN" || asObject(past[0])["opponent_id"] != "P02" {
		t.Errorf("history = %v, want one win against P02", state["history"])
	}
	move := example(t, "game-flow/game_move_call.json", object{"match_id": "R2M1"})
	asked := asObject(move["params"])
	k.answers(t, example(t, "game-flow/game_start.json", object{"match_id": "R2M1", "auth_token": asked["auth_token"]}), protocol.TypeGameJoinAck)
	played := asObject(k.answers(t, move, protocol.TypeGameMoveResponse)["move_data"])
	if options := fmt.Sprint(asObject(asked["move_request"])["valid_options"]); !strings.Contains(options, fmt.Sprint(played["choice"])) || played["move_type"] != "place_mark" {
		t.Errorf("move_data = %v, want one of %s", played, options)
	}
}

// Without a manager that grants tokens a referee cannot be authenticated: each inviter has a separate seat, gets the
// same answer, and ends only its own match.
func (k *runningKit) doesNotMindAnotherInviter(t *testing.T, choice any) {
	other := object{"auth_token": "tok_other", "sender": "referee:REF66"}
	k.answers(t, example(t, "game-flow/game_start.json", other), protocol.TypeGameJoinAck)
	for _, change := range []object{other, nil, other} {
		got := k.answers(t, example(t, "game-flow/move_request.json", change), protocol.TypeChooseParityResponse)
		if got["parity_choice"] != choice || got["proof"] != nil {
			t.Errorf("it says %v with the proof %v, want %v as to the first, and nothing signed", got["parity_choice"], got["proof"], choice)
		}
	}
	k.answers(t, example(t, "game-flow/game_over.json", other), protocol.TypeGameOverAck)
	k.refuses(t, example(t, "game-flow/move_request.json", other), protocol.AuthTokenInvalid)
	if got := k.answers(t, example(t, "game-flow/move_request.json", nil), protocol.TypeChooseParityResponse); got["parity_choice"] != choice {
		t.Errorf("after a stranger's end it says %v, want %v as before", got["parity_choice"], choice)
	}
}

func (k *runningKit) hearsNews(t *testing.T) {
	for file, want := range map[string]protocol.Type{
		"errors/timeout_error.json": protocol.TypeGameErrorAck, "game-flow/round_announcement.json": protocol.TypeRoundAnnouncementAck,
		"game-flow/league_standings_update.json": protocol.TypeStandingsUpdateAck, "game-flow/round_completed.json": protocol.TypeRoundCompletedAck,
		"game-flow/league_completed.json": protocol.TypeLeagueCompletedAck, "game-flow/ping.json": protocol.TypePong,
	} {
		k.answers(t, example(t, file, nil), want)
	}
}

func (k *runningKit) refusesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		change object
		want   *protocol.Kind
	}{
		{object{"protocol": "league.v1"}, protocol.VersionMismatch},
		{object{"protocol": 2}, protocol.VersionMismatch},
		{object{"timestamp": "2025-01-15T10:30:00+02:00"}, protocol.InvalidTimestamp},
		{object{"timestamp": "2025-01-15T10:30:00"}, protocol.InvalidTimestamp},
		{object{"timestamp": "2025-13-15T10:30:00Z"}, protocol.InvalidTimestamp},
		{object{"timestamp": "yesterday"}, protocol.InvalidTimestamp},
		{object{"timestamp": 7}, protocol.InvalidTimestamp},
		{object{"match_id": nil}, protocol.MissingField},
		{object{"match_id": 7}, protocol.InvalidMessage},
		{object{"sender": "nobody"}, protocol.InvalidMessage},
	} {
		for _, file := range []string{"game-flow/game_start.json", "game-flow/move_request.json", "game-flow/game_over.json", "game-flow/game_move_call.json"} {
			k.refuses(t, example(t, file, c.change), c.want)
		}
	}
	k.refuses(t, example(t, "game-flow/game_move_call.json", object{"move_request": nil}), protocol.MissingField)
	k.refuses(t, example(t, "game-flow/game_move_call.json", object{"match_id": "R2M1", "move_request": object{"move_type": "place_mark"}}), protocol.MissingField)
	k.answers(t, example(t, "game-flow/ping.json", object{"timestamp": "2025-01-15T10:30:00.123456+00:00"}), protocol.TypePong)
}

func (k *runningKit) speaksJSONRPC(t *testing.T) {
	for _, c := range []struct {
		body string
		code int
		id   string
	}{
		{``, -32700, "null"}, {`{"jsonrpc":`, -32700, "null"}, {"\"\xff\"", -32700, "null"}, {`{"id":NaN}`, -32700, "null"},
		{`7`, -32600, "null"}, {`[]`, -32600, "null"}, {`{}`, -32600, "null"}, {`{"jsonrpc":"2.0","id":3}`, -32600, "3"},
		{`{"jsonrpc":"1.0","method":"ping","id":"a"}`, -32600, `"a"`}, {`{"jsonrpc":"2.0","method":"ping","params":5,"id":1}`, -32600, "1"},
		{`{"jsonrpc":"2.0","method":5,"id":1}`, -32600, "1"}, {`{"jsonrpc":"2.0","method":"ping","id":{}}`, -32600, "null"},
		{`{"jsonrpc":"2.0","method":"ping","id":true}`, -32600, "null"},
		{`{"jsonrpc":"2.0","method":"fly","id":12345678901234567890}`, -32601, "12345678901234567890"},
		{`{"jsonrpc":"2.0","method":"toString","id":1}`, -32601, "1"},
		{`{"jsonrpc":"2.0","method":"ping","params":[1],"id":-7}`, -32602, "-7"},
		{`{"jsonrpc":"2.0","method":"ping","id":1.5,"params":{"id":9}}`, 0, "1.5"}, {`{"jsonrpc":"2.0","method":"ping","id":null}`, 0, "null"},
		{`{"jsonrpc":"2.0","method":"fly","params":{"id":1.5},"id":1.50}`, -32601, "1.50"}, {`{"jsonrpc":"2.0","method":"fly","id":1E2}`, -32601, "1E2"},
		{`{"jsonrpc":"2.0","method":"ping","id":1,"id":2}`, -32600, "null"}, {`{"jsonrpc":"2.0","method":"ping","params":{"a":1,"\u0061":2},"id":1}`, -32600, "null"},
		{`{"jsonrpc":"2.0","method":"ping","params":{"x":[[{"y":{"z":1,"z":2}}]]},"id":1}`, -32600, "null"},
		{`{"jsonrpc":"2.0","method":"ping","params":{"x":[{"y":1},{"y":2,"x":[]}]},"id":1}`, 0, "1"},
		{`{"params":{"id":9},"jsonrpc":"2.0","method":"ping","id":"Zoë \"7\""}`, 0, `"Zoë \"7\""`},
	} {
		status, answer := k.post(t, c.body)
		var got struct {
			JSONRPC string
			ID      json.RawMessage
			Result  json.RawMessage
			Error   *struct{ Code int }
		}
		if err := json.Unmarshal(answer, &got); err != nil {
			t.Errorf("%q: HTTP %d %q", c.body, status, answer)
			continue
		}
		code := 0
		if got.Error != nil {
			code = got.Error.Code
		}
		if status != http.StatusOK || got.JSONRPC != "2.0" || code != c.code || string(got.ID) != c.id || (c.code == 0) == (got.Result == nil) {
			t.Errorf("%q: got HTTP %d %s, want the code %d and the id %s", c.body, status, answer, c.code, c.id)
		}
	}
	_, answer := k.post(t, `[{"jsonrpc":"2.0","method":"ping","id":1},{"jsonrpc":"2.0","method":"ping"},{"jsonrpc":"2.0","method":"fly","id":2}]`)
	var batch []object
	if err := json.Unmarshal(answer, &batch); err != nil || len(batch) != 2 {
		t.Errorf("a batch of two requests and a notification: got %s", answer)
	}
	_, answer = k.post(t, `[{"jsonrpc":"2.0","method":"fly","params":{"a":1,"a":1},"id":1},{"jsonrpc":"2.0","method":"fly","id":2.50}]`)
	var ids []struct{ ID json.RawMessage }
	if err := json.Unmarshal(answer, &ids); err != nil || len(ids) != 2 || string(ids[0].ID) != "null" || string(ids[1].ID) != "2.50" {
		t.Errorf("a batch with a member twice in its first request: got %s, want the ids null and 2.50", answer)
	}
	for _, quiet := range []string{`{"jsonrpc":"2.0","method":"ping"}`, `{"jsonrpc":"2.0","method":"fly"}`, `[{"jsonrpc":"2.0","method":"ping"}]`} {
		if status, answer := k.post(t, quiet); status != http.StatusAccepted || len(answer) > 0 {
			t.Errorf("%s: got HTTP %d %q, want 202 and no body", quiet, status, answer)
		}
	}
}

func (k *runningKit) speaksHTTP(t *testing.T) {
	base := strings.TrimSuffix(k.url, "/mcp")
	for _, c := range []struct {
		method, path string
		size, want   int
	}{
		{"GET", "/health", 0, 200}, {"POST", "/health", 2, 405}, {"GET", "/mcp", 0, 405}, {"DELETE", "/mcp", 0, 405}, {"PUT", "/mcp", 2, 405},
		{"GET", "/", 0, 404}, {"POST", "/nowhere", 2, 404}, {"POST", "/mcp", 1<<20 + 1, 413}, {"POST", "/mcp", 1 << 20, 200},
	} {
		req, _ := http.NewRequest(c.method, base+c.path, strings.NewReader(strings.Repeat(" ", c.size)))
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Errorf("%s %s of %d bytes: %v", c.method, c.path, c.size, err)
			continue
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != c.want {
			t.Errorf("%s %s of %d bytes: HTTP %d, want %d", c.method, c.path, c.size, resp.StatusCode, c.want)
		}
		var health object
		if c.want == 200 && c.path == "/health" && (json.Unmarshal(body, &health) != nil || health["status"] != "healthy" || health["agent"] != "player:new") {
			t.Errorf("health = %s", body)
		}
	}
}
