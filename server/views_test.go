package server

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/mcpapp"
)

// A manager offers both views to a host that supports them, and the lists stay as small as those of others.
func TestManagersOfferViews(t *testing.T) {
	t.Parallel()
	c := openServer(t, "even_odd", nil, 2)
	seat, _ := sitDown(dialText(t, c, "", ""), "Dana")
	for token, most := range map[string]int{"": 12_000, seat: 8_000} {
		caps := &mcp.ClientCapabilities{}
		caps.AddExtension(mcpapp.Extension, map[string]any{"mimeTypes": []string{mcpapp.MIMEType}})
		client := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, &mcp.ClientOptions{Capabilities: caps})
		s, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
			Endpoint: c.First.Endpoint(), HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1,
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		list, err := s.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if size, _ := json.Marshal(list); len(size) > most {
			t.Errorf("the list has %d bytes, want at most %d", len(size), most)
		}
		views := map[string]any{}
		for _, tool := range list.Tools {
			if ui, ok := tool.Meta["ui"].(map[string]any); ok {
				views[tool.Name] = ui["resourceUri"]
			}
		}
		for _, v := range []mcpapp.View{mcpapp.Table, mcpapp.Turn} {
			if views[v.Tool] != v.URI {
				t.Errorf("%s has the view %v, want %s", v.Tool, views[v.Tool], v.URI)
			}
			if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: v.URI}); err != nil {
				t.Errorf("%s: %v", v.URI, err)
			}
		}
		_ = s.Close()
	}
}
