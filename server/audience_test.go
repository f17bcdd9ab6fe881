package server

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"agentleague/host"
)

// listed lists the tools for a client with a token, and returns the size of the answer and the tools by name.
func listed(t *testing.T, c *Server, token string) (size int, tools map[string]listedTool) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.First.Endpoint(),
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		t.Fatal(err)
	}
	res, err := bearer(token).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	var answer struct{ Result struct{ Tools []listedTool } }
	if err == nil {
		err = json.Unmarshal(body, &answer)
	}
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	tools = map[string]listedTool{}
	for _, tool := range answer.Result.Tools {
		tools[tool.Name] = tool
	}
	return len(body), tools
}

// A listedTool is a tool as a host receives it.
type listedTool struct {
	Name        string
	InputSchema struct {
		Properties map[string]struct {
			Type string
			Enum []string
		}
	}
	Annotations struct{ DestructiveHint, ReadOnlyHint bool }
}

// Each audience sees the tools that it may call: a guest, a seat, an agent and the admin. The lists use a model's
// context: a guest's has at most 12 kB, a seat's 8.
func TestToolsAreListedByWhoAsks(t *testing.T) {
	t.Parallel()
	c := openServer(t, "even_odd", nil, 2) // joined by one seat alone
	seat, _ := sitDown(dialText(t, c, "", ""), "Dana")
	admin, err := c.First.Env.AdminToken()
	if err != nil {
		t.Fatal(err)
	}
	playing := "leave_seat make_move take_seat wait_for_turn watch_league"
	open := "get_games get_league_status get_schedule get_standings ping"
	for _, who := range []struct {
		name, token string
		most        int
		shown, not  string
	}{
		{"a guest", "", 12_000, playing + " register_player register_referee " + open, "league_query start_league report_match_result"},
		{"who makes a token up", "tok_player_P77_guess", 12_000, playing, "league_query start_league"},
		{"who makes a key up", "seat_GUESS", 12_000, playing + " register_player", "league_query start_league"},
		{"a seat", seat, 8_000, playing + " get_schedule get_standings", "register_player ping start_league"},
		{"a player", "tok_player_P01_own", 22_000, playing + " league_query protest_match " + open, "start_league report_match_result"},
		{"a referee", "tok_referee_REF01_own", 22_000, "league_query report_match_result get_assigned_matches " + open, "start_league protest_match"},
		{"the admin", admin, 40_000, playing + " start_league withdraw_player create_league league_query report_match_result", ""},
	} {
		if who.name == "a referee" {
			awaitReferee(t, c)
		}
		size, tools := listed(t, c, who.token)
		t.Logf("%s: %d tools in %d bytes", who.name, len(tools), size)
		if size > who.most {
			t.Errorf("%s is shown %d bytes, want at most %d", who.name, size, who.most)
		}
		for _, name := range strings.Fields(who.shown) {
			if _, ok := tools[name]; !ok {
				t.Errorf("%s is not shown %s", who.name, name)
			}
		}
		for _, name := range strings.Fields(who.not) {
			if _, ok := tools[name]; ok {
				t.Errorf("%s is shown %s", who.name, name)
			}
		}
	}
}

// Tools that are not listed are refused by their own check.
func TestWhatIsNotListedIsStillRefused(t *testing.T) {
	t.Parallel()
	c := openServer(t, "even_odd", nil, 2)
	h := dialText(t, c, "", "")
	for tool, want := range map[string]string{
		"start_league": "E011 AUTH_TOKEN_MISSING", "league_query": "E011 AUTH_TOKEN_MISSING", "withdraw_player": "E011 AUTH_TOKEN_MISSING",
	} {
		text, done := h.call(tool, map[string]any{"query_type": "GET_STATUS", "player_id": "P01"})
		if done || !strings.HasPrefix(text, want) {
			t.Errorf("%s: got %s, want %s", tool, text, want)
		}
	}
}

// The tools of a seat are typed: enumerations are listed, and destructive tools are marked.
func TestSeatToolsAreTyped(t *testing.T) {
	t.Parallel()
	_, tools := listed(t, openServer(t, "even_odd", nil, 2), "")
	fallback := tools["take_seat"].InputSchema.Properties["fallback"]
	if fallback.Type != "string" || !slices.Equal(fallback.Enum, host.BotNames("even_odd")) {
		t.Errorf("fallback is %+v, want one of %q", fallback, host.BotNames("even_odd"))
	}
	if move := tools["make_move"].InputSchema.Properties["move"]; move.Type != "string" {
		t.Errorf("move is %+v, want a text", move)
	}
	if !tools["leave_seat"].Annotations.DestructiveHint || tools["make_move"].Annotations.DestructiveHint ||
		tools["take_seat"].Annotations.ReadOnlyHint {
		t.Errorf("hints: %+v", tools)
	}
}

// Errors of tools are sentences for their caller, without terms of Go.
func TestErrorsOfToolsHaveNoGoInThem(t *testing.T) {
	t.Parallel()
	h := dialText(t, openServer(t, "even_odd", nil, 2), "", "")
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"watch_league", map[string]any{"matches": "two"}, "matches: use a whole number, not a string"},
		{"watch_league", map[string]any{"timeout_seconds": 601}, "timeout_seconds is 0 to 600"},
		{"take_seat", map[string]any{"name": 7}, "name: use a string, not a number"},
		{"take_seat", map[string]any{}, "a seat needs a name"},
		{"wait_for_turn", map[string]any{"wait_seconds": "soon"}, "wait_seconds: use a number, not a string"},
		{"make_move", map[string]any{"key": "seat_GUESS"}, "no seat here has that key"},
	} {
		text, done := h.call(c.tool, c.args)
		if done || !strings.Contains(text, c.want) || strings.Contains(text, "Go ") || strings.Contains(text, "json:") {
			t.Errorf("%s %v: got %q, want %q", c.tool, c.args, text, c.want)
		}
	}
}

// Every place of a listed schema, for any audience, has one type or alternatives with one each. These are the rules by
// which the Inspector's --strict warns of schemas that some hosts refuse.
func TestListedSchemasArePortable(t *testing.T) {
	t.Parallel()
	c := openServer(t, "even_odd", nil, 2)
	admin, err := c.First.Env.AdminToken()
	if err != nil {
		t.Fatal(err)
	}
	for tool, err := range dialText(t, c, admin, "").session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		unportable(t, tool.Name, tool.InputSchema)
	}
}

// unportable complains of the places of a schema that lose their meaning in some hosts.
func unportable(t *testing.T, where string, schema any) {
	t.Helper()
	s, ok := schema.(map[string]any)
	if !ok {
		t.Errorf("%s: got %v, want a schema that is an object", where, schema)
		return
	}
	_, one := s["type"].(string)
	if alternatives, _ := s["anyOf"].([]any); !one && s["const"] == nil && len(alternatives) == 0 {
		t.Errorf("%s: type %v, want one type", where, s["type"])
	} else {
		for _, a := range alternatives {
			unportable(t, where+" or", a)
		}
	}
	for _, inner := range []string{"items", "additionalProperties"} {
		if s[inner] != nil {
			unportable(t, where+"."+inner, s[inner])
		}
	}
	members, _ := s["properties"].(map[string]any)
	for name, member := range members {
		unportable(t, where+"."+name, member)
	}
}
