package mcpapp_test

import (
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/mcpapp"
	"agentleague/protocol"
	"agentleague/rpc"
)

// versions are all that there are of MCP.
var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// offering is the endpoint of a manager that offers both views, beside a tool and a resource without one.
func offering(t *testing.T) string {
	t.Helper()
	n := rpc.NewNode(protocol.Manager, rpc.Options{})
	for _, name := range []string{"watch_league", "wait_for_turn", "juggle"} {
		n.MCP().AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	}
	n.MCP().AddResource(&mcp.Resource{URI: "league://standings", Name: "standings"}, nil)
	mcpapp.Add(n.MCP(), mcpapp.Table, mcpapp.Turn)
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	return server.URL + "/mcp"
}

// host returns a client with the given capabilities; nil: none.
func host(t *testing.T, endpoint, version string, settings map[string]any) *mcp.ClientSession {
	t.Helper()
	caps := &mcp.ClientCapabilities{}
	if settings != nil {
		caps.AddExtension(mcpapp.Extension, settings)
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, &mcp.ClientOptions{Capabilities: caps})
	s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: endpoint, MaxRetries: -1},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("%s: %v", version, err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// linksOf returns the views that a host sees: those of its tools, and those among its resources.
func linksOf(t *testing.T, s *mcp.ClientSession) (tools, resources []string) {
	t.Helper()
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if ui, ok := tool.Meta["ui"].(map[string]any); ok {
			tools = append(tools, tool.Name+" "+ui["resourceUri"].(string))
		}
	}
	all, err := s.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all.Resources {
		resources = append(resources, r.URI)
	}
	slices.Sort(tools)
	slices.Sort(resources)
	return tools, resources
}

// In every version of MCP, a host that declares support for views sees them, and no other host does.
func TestViewsAreForHostsThatShowThem(t *testing.T) {
	t.Parallel()
	endpoint := offering(t)
	for name, c := range map[string]struct {
		settings map[string]any
		shown    bool
	}{
		"it says nothing":        {nil, false},
		"it shows views":         {map[string]any{"mimeTypes": []string{"text/plain", mcpapp.MIMEType}}, true},
		"it does not say which":  {map[string]any{}, true},
		"it shows others only":   {map[string]any{"mimeTypes": []string{"text/plain"}}, false},
		"it shows none whatever": {map[string]any{"mimeTypes": []string{}}, false},
	} {
		for _, version := range versions {
			tools, resources := linksOf(t, host(t, endpoint, version, c.settings))
			wantTools, wantResources := []string(nil), []string{"league://standings"}
			if c.shown {
				wantTools = []string{"wait_for_turn ui://league/turn", "watch_league ui://league/table"}
				wantResources = append(wantResources, "ui://league/table", "ui://league/turn")
			}
			if !slices.Equal(tools, wantTools) || !slices.Equal(resources, wantResources) {
				t.Errorf("%s, %s: got %q and %q, want %q and %q", name, version, tools, resources, wantTools, wantResources)
			}
		}
	}
}

// Any client can read a view. It is a small document without external resources, and declares that.
func TestViewsAreSmallAndLoadNothing(t *testing.T) {
	t.Parallel()
	s := host(t, offering(t), "2025-11-25", nil)
	for v, most := range map[mcpapp.View]int{mcpapp.Table: 12 << 10, mcpapp.Turn: 18 << 10} {
		read, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: v.URI})
		if err != nil || len(read.Contents) != 1 {
			t.Fatalf("%s: got %v, %v", v.URI, read, err)
		}
		c := read.Contents[0]
		if c.URI != v.URI || c.MIMEType != "text/html;profile=mcp-app" || len(c.Text) >= most {
			t.Errorf("got %s, %s, %d bytes; want %s, an app of less than %d", c.URI, c.MIMEType, len(c.Text), v.URI, most)
		}
		want := `{"ui":{"csp":{"baseUriDomains":[],"connectDomains":[],"frameDomains":[],"resourceDomains":[]},"prefersBorder":true}}`
		if meta, _ := json.Marshal(c.Meta); string(meta) != want {
			t.Errorf("%s: got %s, want %s", v.URI, meta, want)
		}
		for _, bad := range []string{"innerHTML", "insertAdjacentHTML", "document.write", "eval(", "http:", "https:", "src=", "href=", "url(", "fetch(", "import "} {
			if strings.Contains(c.Text, bad) {
				t.Errorf("%s has %q in it", v.URI, bad)
			}
		}
	}
}
