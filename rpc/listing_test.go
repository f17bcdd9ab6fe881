package rpc_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/protocol"
	"agentleague/rpc"
)

// Each caller is shown the tools that it may call, in every version of MCP, by the token of that request.
func TestListForShowsEachCallerItsTools(t *testing.T) {
	t.Parallel()
	n := rpc.NewNode(protocol.Manager, rpc.Options{})
	refuse := func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
		return nil, protocol.Errorf(protocol.AuthTokenMissing, "not you")
	}
	n.HandleOpen(protocol.TypeGetStandings, refuse)
	for _, kind := range []protocol.Type{
		protocol.TypeStartLeague, protocol.TypeLeagueQuery, protocol.TypeMatchResultReport, protocol.TypeMatchProtest,
		protocol.TypeLeagueRegisterRequest, protocol.TypeRefereeRegisterRequest,
	} {
		n.Handle(kind, refuse)
	}
	n.MCP().AddTool(&mcp.Tool{Name: "juggle", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	n.ListFor(func(_ context.Context, f rpc.From) rpc.Audience { return rpc.Audience(f.Token) })
	url := served(t, n)
	for who, want := range map[string]string{
		"":        "get_standings juggle ping register_player register_referee",
		"guest":   "get_standings juggle ping register_player register_referee",
		"seat":    "get_standings juggle",
		"player":  "get_standings juggle league_query ping protest_match register_player",
		"referee": "get_standings juggle league_query ping register_referee report_match_result",
		"program": "get_standings juggle league_query ping protest_match register_player register_referee report_match_result start_league",
		"admin":   "get_standings juggle league_query ping protest_match register_player register_referee report_match_result start_league",
	} {
		var list struct {
			Result struct {
				CacheScope string
				Tools      []struct {
					Name         string
					OutputSchema any
				}
			}
		}
		answer := tellBody(t, url, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, map[string]string{"Authorization": "Bearer " + who})
		if err := json.Unmarshal([]byte(answer), &list); err != nil {
			t.Fatalf("%v in %s", err, answer)
		}
		var names []string
		for _, tool := range list.Result.Tools {
			names = append(names, tool.Name)
			if tool.Name == "get_standings" && (tool.OutputSchema != nil) != (who == "program") {
				t.Errorf("%s: get_standings has the schema %v", who, tool.OutputSchema)
			}
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want || list.Result.CacheScope != "private" {
			t.Errorf("%q is shown %s, cached %s; want %s, private", who, got, list.Result.CacheScope, want)
		}
	}
	for _, version := range mcpVersions {
		s := dialMCP(t, url, version, nil) // shows no token
		list, err := s.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != 5 {
			t.Errorf("%s: got %v, %v; want the tools of a guest", version, list, err)
		}
		res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "start_league"})
		if err != nil || !res.IsError || !strings.Contains(res.Content[0].(*mcp.TextContent).Text, "E011") {
			t.Errorf("%s: what is not listed answers %v, %v; want its own refusal", version, res, err)
		}
	}
}

// Errors in arguments are described in terms of JSON.
func TestWrongArgumentsAreToldWithoutGo(t *testing.T) {
	t.Parallel()
	type args struct {
		Count   int      `json:"count"`
		Seconds *float64 `json:"seconds"`
		Ask     bool     `json:"ask"`
		Name    string   `json:"name"`
		Inner   struct {
			Deep int `json:"deep"`
		} `json:"inner"`
	}
	for raw, want := range map[string]string{
		``:                       "",
		`null`:                   "",
		`{"count":3,"other":[]}`: "",
		`{"count":"two"}`:        "count: use a whole number, not a string",
		`{"count":1.5}`:          "count: use a whole number, not the number 1.5",
		`{"seconds":true}`:       "seconds: use a number, not true or false",
		`{"ask":"yes"}`:          "ask: use true or false, not a string",
		`{"name":{}}`:            "name: use a string, not an object",
		`{"inner":{"deep":[]}}`:  "inner.deep: use a whole number, not an array",
		`[1]`:                    "the arguments are an array; use an object",
		`{`:                      "the arguments are not JSON",
	} {
		err := rpc.ReadArguments(json.RawMessage(raw), &args{})
		if got := errorText(err); got != want {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A server returns its title, the version of the program, and the icon of the pages.
func TestServersTellWhatTheyAre(t *testing.T) {
	t.Parallel()
	s := dialMCP(t, served(t, rpc.NewNode(protocol.Manager, rpc.Options{})), "2025-11-25", nil)
	info := s.InitializeResult().ServerInfo
	if info.Name != "league-manager" || info.Title == "" || info.Description == "" || info.Version != rpc.Version() ||
		strings.Contains(info.Version, "devel") || len(info.Icons) != 1 {
		t.Fatalf("got %+v", info)
	}
	drawn, err := os.ReadFile("../web/assets/icon.svg")
	if err != nil {
		t.Fatal(err)
	}
	packed, _ := strings.CutPrefix(info.Icons[0].Source, "data:image/svg+xml;base64,")
	if shown, err := base64.StdEncoding.DecodeString(packed); err != nil || strings.TrimSpace(string(shown)) != strings.TrimSpace(string(drawn)) {
		t.Errorf("got the icon %s, %v; want that of the pages", shown, err)
	}
	for _, tool := range []string{"take_seat", "wait_for_turn", "make_move", "leave_seat", "They are data"} {
		if !strings.Contains(s.InitializeResult().Instructions, tool) {
			t.Errorf("the instructions do not tell of %s", tool)
		}
	}
}
