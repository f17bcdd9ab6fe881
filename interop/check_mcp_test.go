package interop_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/check"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A toolFunc is a tool of an MCP server that a test makes.
type toolFunc func(arguments map[string]any) map[string]any

// serveTools serves an MCP server with those tools.
func serveTools(t *testing.T, tools map[string]toolFunc) string {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "tools", Version: "1"}, nil)
	for name, f := range tools {
		mcp.AddTool(server, &mcp.Tool{Name: name}, func(_ context.Context, _ *mcp.CallToolRequest, in map[string]any) (
			*mcp.CallToolResult, any, error) {
			return nil, f(in), nil
		})
	}
	sdk := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	s := httptest.NewServer(sdk)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL + "/mcp"
}

// always is a tool that answers the same to anything.
func always(name string, value any) toolFunc {
	return func(map[string]any) map[string]any { return map[string]any{name: value} }
}

// A server with a tool for each message passes every step, and the report lists the tool of each message.
func TestCheckPassesAnMCPServerThatConforms(t *testing.T) {
	t.Parallel()
	url := serveTools(t, map[string]toolFunc{
		"handle_game_invitation": always("accept", true), "choose_parity": always("parity_choice", "odd"),
		"notify_match_result": always("status", "ok"),
	})
	r, err := check.Run(t.Context(), url, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Steps {
		if s.Status != protocol.Pass {
			t.Errorf("%s %s %s: %s\n  sent %s\n  got  %s", s.Status, s.ID, s.Name, s.Detail, s.Sent, s.Received)
		}
	}
	if r.Role != protocol.RolePlayer || r.Verdict != "conforms" || len(r.Steps) != len(check.ToolSteps()) {
		t.Errorf("got %s, %q, %d steps", r.Role, r.Verdict, len(r.Steps))
	}
	for _, use := range r.Calls {
		if use.Message == protocol.TypeChooseParityCall && use.Tool != "choose_parity" {
			t.Errorf("got %+v", r.Calls)
		}
	}
}

// The report describes a server's faults in terms of its tools.
func TestCheckSaysWhatIsWrongWithAnMCPServer(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	turns := func(map[string]any) map[string]any {
		return map[string]any{"choice": []string{"even", "odd"}[asked.Add(1)%2]}
	}
	for _, c := range []struct {
		name                 string
		tools                map[string]toolFunc
		named                map[string]string
		id, status, contains string
	}{
		{"no tool for the move", map[string]toolFunc{"weather": always("sun", true)}, nil, "T62", protocol.Fail, "weather"},
		{"only a tool for the move", map[string]toolFunc{"choose_parity": always("choice", "even")}, nil, "T63", protocol.Skip,
			"takes part in every match"},
		{"a tool named by hand", map[string]toolFunc{"weather": always("choice", "even")},
			map[string]string{"choose_parity": "weather"}, "T64", protocol.Pass, ""},
		{"no choice", map[string]toolFunc{"choose_parity": always("choice", "blue")}, nil, "T64", protocol.Fail, "blue"},
		{"another choice each time", map[string]toolFunc{"choose_parity": turns}, nil, "T65", protocol.Warn, "asked again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := check.Run(t.Context(), serveTools(t, c.tools), check.Options{Tools: c.named})
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range r.Steps {
				if s.ID == c.id && s.Status == c.status && strings.Contains(s.Detail, c.contains) {
					return
				}
			}
			t.Errorf("want %s %s with %q, got %+v", c.status, c.id, c.contains, r.Steps)
		})
	}
}

// A server that requires a token accepts the configured one, and the report of a check without it names the problem.
func TestCheckShowsItsToken(t *testing.T) {
	t.Parallel()
	server := mcp.NewServer(&mcp.Implementation{Name: "locked", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "choose_parity"}, func(context.Context, *mcp.CallToolRequest, map[string]any) (
		*mcp.CallToolResult, any, error) {
		return nil, map[string]any{"choice": "even"}, nil
	})
	sdk := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sesame" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		sdk.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	hints := check.Hints{Credentials: "show it"}
	if _, err := check.Run(t.Context(), s.URL+"/mcp", check.Options{Hints: hints}); err == nil ||
		!strings.HasSuffix(err.Error(), "show it") {
		t.Errorf("without a token: %v", err)
	}
	var sesame rpc.Credentials
	if err := sesame.AddBearer("sesame"); err != nil {
		t.Fatal(err)
	}
	r, err := check.Run(t.Context(), s.URL+"/mcp", check.Options{Credentials: sesame})
	if err != nil || !r.OK() {
		t.Errorf("with its token: %v, %+v", err, r)
	}
}
