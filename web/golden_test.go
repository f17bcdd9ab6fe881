package web

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/league/manager"
	"agentleague/league/mcpserver"
	"agentleague/protocol"
)

var update = flag.Bool("update", false, "write testdata/golden.txt anew")

// unsteady matches values that differ between two runs: hashes of a log with times in it, nonces, times and loads; of
// pages also hashes of static files, and the agents that need attention: whether an agent is reached takes its time.
var unsteady = regexp.MustCompile(`(messages_waiting|head|log_head|seal|sequence|timestamp|conversation_id)(\\?": ?)(\\?"[^"\\]*|\d+)` +
	`|data-seq="\d+|after=\d+|<code>[0-9a-f]{32}|\.[0-9a-f]{10}\.` +
	`|"failing": ?\[[^\]]*\],?|(?s:<section class="card" aria-labelledby="h-failing">.*?</section>\s*)`)

// TestEverySurfaceShowsALeagueAsBefore compares the SHA-256 of the pages, the API, the exports, the MCP resources and
// the open queries of six leagues, for the public and for the organizer. Run it with -update after an intended change;
// with GOLDEN=DIR the documents themselves are written there, for a comparison.
func TestEverySurfaceShowsALeagueAsBefore(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	for _, p := range []seasonPlan{
		{id: "waiting", names: agents(3), invited: []string{"Ada", "Bohr"}},
		{id: "running", names: agents(10), started: true, rounds: 5, half: true},
		{id: "odd", names: agents(7), started: true, rounds: 2},
		{id: "over", names: agents(6), started: true, rounds: 5},
		{id: "hostile", names: hostile, started: true, rounds: 2, half: true, hosted: true},
		{id: "large", names: agents(60), started: true, rounds: 2, half: true},
	} {
		m := seasonOf(t, p)
		site := siteOf(t, m)
		page, api := site+"/leagues/"+p.id, site+"/api/v1/leagues/"+p.id
		files := page + "/export/"
		for _, url := range []string{
			site + "/api/v1/leagues", site + "/api/v1/ratings", api, api + "/figures", api + "/agents", api + "/run",
			api + "/players/P01", api + "/players/P02", api + "/players/REF01", api + "/matches/R1M1",
			api + "/matches/R3M2", api + "/matches/R3M1", api + "/seasons",
			files + "standings.csv", files + "results.csv", files + "players.csv", files + "standings.json",
			files + "results.json", files + "players.json", files + "league.json",
			page, page + "?projector", page + "/figures", page + "/run", page + "/players/P01",
			page + "/matches/R1M1", page + "/matches/R3M2", site + "/ratings", site + "/create",
		} {
			for _, token := range []string{"", adminToken} {
				note(t, &got, p.id+strings.TrimPrefix(url, site)+token, fetched(t, url, token))
			}
		}
		mcp := shownByMCP(t, m)
		for _, name := range slices.Sorted(maps.Keys(mcp)) {
			note(t, &got, p.id+" "+name, mcp[name])
		}
	}
	openapi := fetched(t, siteOf(t, seasonOf(t, seasonPlan{id: "waiting"}))+"/api/v1/openapi.json", "")
	note(t, &got, "openapi", openapi)
	compareGolden(t, filepath.Join("testdata", "golden.txt"), got.String())
}

// waiting matches that a league waits for its referee, and that agents cannot be reached, since no test runs them: that
// is noticed after a while.
var waiting = regexp.MustCompile(`,\\?"(waits_for|unreachable)\\?":\\?"[^"\\]*\\?"|<p class="alert">The league is waiting for [^<]*</p>\s*`)

// note adds a line for a document.
func note(t *testing.T, to io.Writer, name string, text []byte) {
	t.Helper()
	text = bytes.ReplaceAll(text, []byte(`"SUSPENDED","why":"it does not answer"`), []byte(`"ACTIVE"`)) // the same
	text = waiting.ReplaceAll(unsteady.ReplaceAll(text, []byte("$1$2")), nil)
	fmt.Fprintln(to, protocol.SHA256(string(text))[:16], name)
	if dir := os.Getenv("GOLDEN"); dir != "" {
		file := filepath.Join(dir, strings.NewReplacer("/", "_", " ", "_", ":", "_").Replace(name))
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Error(err)
		}
	}
}

// fetched returns the answer at an address for a client with that token.
func fetched(t *testing.T, url, token string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// shownByMCP returns a league's resources and tool results for an anonymous MCP client.
func shownByMCP(t *testing.T, m *manager.Manager) map[string][]byte {
	t.Helper()
	mcpserver.Open(m, mcpserver.Options{})
	here, there := mcp.NewInMemoryTransports()
	serving, err := m.Node.MCP().Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "viewer", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(); _ = serving.Wait() }()
	out := map[string][]byte{}
	for _, path := range []string{"standings", "schedule", "rounds/1", "rounds/3", "players/P01", "players/P02", "matches/R1M1",
		"matches/R3M1", "matches/R3M2"} {
		if got, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "league://" + path}); err == nil {
			out[path] = []byte(got.Contents[0].Text)
		}
	}
	out["watch_league"] = called(t, c, "watch_league", map[string]any{"timeout_seconds": 0})
	for _, tool := range []string{"get_standings", "get_league_status", "get_schedule", "get_games"} {
		for _, params := range []map[string]any{{}, {"offset": 1, "limit": 2}} {
			out[fmt.Sprint(tool, params["limit"])] = called(t, c, tool, map[string]any{"query_params": params})
		}
	}
	return out
}

// called returns the result of a tool.
func called(t testing.TB, c *mcp.ClientSession, tool string, args any) []byte {
	t.Helper()
	answer, err := c.CallTool(context.WithoutCancel(t.Context()), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	text, err := json.Marshal(answer.Content)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// compareGolden compares a text with a file, or writes the file with -update.
func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	old := strings.Split(string(want), "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(old) || line != old[i] {
			t.Errorf("changed: %s", line)
		}
	}
}
