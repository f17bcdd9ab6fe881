package server

import (
	"net/http"
	"strings"
	"testing"
)

func TestPathsOfLeagues(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"POST /leagues/a/mcp": "a", "POST /leagues/a/MCP/": "a", "GET /leagues/a/health": "a", "GET /leagues/a/metrics": "a",
		"POST /leagues/a/p/house-1/mcp": "a",
		"POST /leagues/a/r/house-1/mcp": "a", "POST /leagues/a/register": "a", "GET /leagues/a": "-", "GET /leagues/a/": "-",
		"GET /leagues/a/agents": "-",
		"POST /leagues/a/run":   "-", "GET /leagues/a/register": "-", "POST /mcp": "-", "GET /leagues/a/players/P01": "-",
		"GET /leagues/a/matches/R1M1": "-", "POST /leagues/a/seat": "-",
		"POST /leagues//mcp": "",
	} {
		method, at, _ := strings.Cut(path, " ")
		r, err := http.NewRequest(method, "http://localhost"+at, nil)
		if err != nil {
			t.Fatal(err)
		}
		if id, ok := leagueOf(r); ok != (want != "-") || ok && id != want {
			t.Errorf("%s: got %q, %v, want %q", path, id, ok, want)
		}
	}
}
