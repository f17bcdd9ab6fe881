package web

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/league/manager"
	"agentleague/rpc"
)

// BenchmarkLargeLeague reads a league of 10,000 players in which nothing happens: the page of a player, the API of the
// league, and the first ten rows of the table.
func BenchmarkLargeLeague(b *testing.B) {
	m := seasonOf(b, seasonPlan{id: "large", names: agents(10_000), started: true, rounds: 2, half: true,
		opts: func(o *manager.Options) { o.Options.Network = quiet{rpc.NewHTTP(1 << 20)} }})
	host := &leagues{ids: []string{m.ID()}, open: map[string]*manager.Manager{m.ID(): m}}
	site := New(Options{Host: host})
	for name, path := range map[string]string{"player": "/leagues/large/players/P01", "api": "/api/v1/leagues/large"} {
		read := func(b *testing.B) {
			w := httptest.NewRecorder()
			site.ServeHTTP(w, httptest.NewRequestWithContext(b.Context(), http.MethodGet, path, nil))
			if w.Code != http.StatusOK {
				b.Fatal(w.Code)
			}
		}
		read(b) // as the first reader
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				read(b)
			}
		})
	}
	here, there := mcp.NewInMemoryTransports()
	if _, err := m.Node.MCP().Connect(b.Context(), there, nil); err != nil {
		b.Fatal(err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "viewer", Version: "1"}, nil).Connect(b.Context(), here, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	b.Run("standings", func(b *testing.B) {
		for b.Loop() {
			called(b, c, "get_standings", map[string]any{"query_params": map[string]any{"limit": 10}})
		}
	})
}
