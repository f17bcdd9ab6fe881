package mcp_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/dialect"
	"agentleague/protocol"
)

// TestMCPServersPlayALeague is a league of players that are MCP servers of every library, transport and habit that is
// known. None of them registers, and none knows anything of league.v2 but its own tools. Another manager than the one that
// was told of them runs the league.
func TestMCPServersPlayALeague(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	players := append(toolPlayers(t), goPlayers(t)...)
	t.Logf("%d players listen after %v", len(players), time.Since(begun).Round(time.Millisecond))
	if !readsText() {
		players = without(players, "plain")
	}
	l := &leagueOf{t: t, root: t.TempDir()}
	l.patient()
	first, kill := l.launch("manager", "--port", "0", "--start-after", "1h")
	t.Cleanup(kill)
	l.manager = first
	if err := os.WriteFile(filepath.Join(l.root, "bearer.txt"), []byte(theToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, p := range players {
		l.enlist(p)
	}
	t.Logf("all are enlisted after %v", time.Since(begun).Round(time.Millisecond))
	kill()
	l.manager = l.start("manager", "--port", "0", "--start-after", "1h")
	l.start("referee", "--port", "0", "--manager", l.manager)
	l.run("start", "--manager", l.manager)
	s := l.over(len(players))
	for _, row := range s.Standings {
		if row.Played != len(players)-1 || row.TechnicalLosses != 0 {
			t.Errorf("%s: %d matches, %d technical losses; want %d and none", row.DisplayName, row.Played, row.TechnicalLosses,
				len(players)-1)
		}
	}
	t.Logf("the league is over after %v", time.Since(begun).Round(time.Millisecond))
	l.tokenIsNowhere()
}

// theToken is what the locked server wants to see.
const theToken = "a-token-of-the-test"

// patient gives every answer a minute: a machine that is busy makes nobody lose.
func (l *leagueOf) patient() {
	l.t.Helper()
	l.run("init")
	name := filepath.Join(l.root, "config", "system.json")
	text, err := os.ReadFile(name)
	if err != nil {
		l.t.Fatal(err)
	}
	var system map[string]any
	if err := json.Unmarshal(text, &system); err != nil {
		l.t.Fatal(err)
	}
	timeouts := system["timeouts"].(map[string]any)
	for key := range timeouts {
		if strings.HasSuffix(key, "_timeout_sec") {
			timeouts[key] = 60
		}
	}
	if text, err = json.Marshal(system); err == nil {
		err = os.WriteFile(name, text, 0o644)
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

// enlist adds a player, with what has to be said of it.
func (l *leagueOf) enlist(p toolPlayer) {
	l.t.Helper()
	args := []string{"enlist", p.URL, "--name", p.Kind, "--manager", l.manager}
	for _, need := range needs[p.Kind] {
		args = append(args, strings.Replace(need, "bearer.txt", filepath.Join(l.root, "bearer.txt"), 1))
	}
	var said struct{ Calls []protocol.ToolUse }
	if err := json.Unmarshal(l.run(args...), &said); err != nil || len(said.Calls) == 0 {
		l.t.Fatalf("%s: what will be called for what is not said: %+v, %v", p.Kind, said, err)
	}
}

// A table is the standings, as far as they are looked at.
type table struct {
	State     string
	Standings []struct {
		DisplayName     string `json:"display_name"`
		Played          int    `json:"played"`
		TechnicalLosses int    `json:"technical_losses"`
	}
}

// over waits until everybody has met everybody.
func (l *leagueOf) over(players int) (s table) {
	l.t.Helper()
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if err := json.Unmarshal(l.run("standings", "--manager", l.manager), &s); err != nil {
			l.t.Fatal(err)
		}
		played := 0
		for _, row := range s.Standings {
			played += row.Played
		}
		if played == players*(players-1) {
			return s
		}
	}
	l.t.Fatalf("the league is not over: %+v", s)
	return s
}

// tokenIsNowhere holds that the token of a server is in its own file and in no other of the root.
func (l *leagueOf) tokenIsNowhere() {
	l.t.Helper()
	kept := 0
	err := filepath.WalkDir(l.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "bearer.txt" {
			return nil // some files come and go
		}
		text, _ := os.ReadFile(path)
		switch {
		case !strings.Contains(string(text), theToken):
		case filepath.Base(filepath.Dir(path)) == "bearers":
			kept++
		default:
			l.t.Errorf("the token is in %s", path)
		}
		return nil
	})
	if err != nil || kept != 1 {
		l.t.Errorf("the token is in %d files of its own, %v; want one", kept, err)
	}
}

// goPlayers are players written with the library of Go.
func goPlayers(t *testing.T) []toolPlayer {
	type match struct {
		MatchID string `json:"matchId"`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "go", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "TakeTurn"},
		func(_ context.Context, _ *mcp.CallToolRequest, in match) (*mcp.CallToolResult, map[string]string, error) {
			return nil, map[string]string{"choice": "even"}, nil
		})
	of := func(*http.Request) *mcp.Server { return server }
	serve := func(kind, path string, h http.Handler) toolPlayer { return toolPlayer{kind, listening(t, h) + path} }
	return []toolPlayer{
		serve("go sessions", "/mcp", mcp.NewStreamableHTTPHandler(of, nil)),
		serve("go stateless", "/mcp", mcp.NewStreamableHTTPHandler(of, &mcp.StreamableHTTPOptions{Stateless: true})),
		serve("go SSE", "/sse", mcp.NewSSEHandler(of, nil)),
	}
}

// listening serves until the test ends, and returns where.
func listening(t *testing.T, h http.Handler) string {
	at := httptest.NewServer(h)
	t.Cleanup(func() { at.CloseClientConnections(); at.Close() })
	return at.URL
}

// readsText reports whether answers in plain text are understood.
func readsText() bool {
	m, _, err := dialect.Unframe(200, []byte(`{"result":{"content":[{"type":"text","text":"odd"}]}}`),
		protocol.TypeChooseParityResponse, protocol.Reading{})
	return m != nil && err == nil
}

// without leaves out the players whose kind ends in a word.
func without(players []toolPlayer, word string) (out []toolPlayer) {
	for _, p := range players {
		if !strings.HasSuffix(p.Kind, word) {
			out = append(out, p)
		}
	}
	return out
}
