package rpc_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/rpc"
)

// mcpVersions are all versions of MCP that there are.
var mcpVersions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// dialMCP connects a client of the SDK that speaks one version.
func dialMCP(t *testing.T, url, version string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o)
	s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, MaxRetries: -1}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("%s: %v", version, err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestOneHandlerServesBothFaces(t *testing.T) {
	n := newPlayer(rpc.Options{})
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	for _, version := range mcpVersions {
		t.Run(version, func(t *testing.T) {
			s := dialMCP(t, server.URL+"/mcp", version, nil)
			if got := s.InitializeResult().ProtocolVersion; got != version {
				t.Errorf("got version %s", got)
			}
			list, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, tool := range list.Tools {
				names = append(names, tool.Name)
			}
			if !slices.Contains(names, "handle_game_invitation") || !slices.Contains(names, "ping") {
				t.Errorf("got tools %q", names)
			}
			res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "handle_game_invitation", Arguments: map[string]any{"match_id": "R1M1"}})
			if err != nil || res.IsError {
				t.Fatalf("got %v %+v", err, res)
			}
			if got := res.Content[0].(*mcp.TextContent).Text; !strings.Contains(got, "GAME_JOIN_ACK") {
				t.Errorf("got %s", got)
			}
		})
	}
	_ = context.Background
	_ = http.MethodGet
}
