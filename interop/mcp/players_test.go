package mcp_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/client"
	"agentleague/metrics/metricstest"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// TestLongMCPServersPlayALeague plays a league of players that are MCP servers with every known transport and
// behaviour. The league runs on another manager than the one that enlisted them, and all servers are restarted in it.
func TestLongMCPServersPlayALeague(t *testing.T) {
	t.Parallel()
	l := &leagueOf{t: t, root: t.TempDir()}
	l.plays(toolPlayers(t, libraries), goPlayers(t)...)
	l.tokenIsNowhere()
}

// TestLongMCPServersOfOtherLibrariesPlayALeague is the same for other versions of the libraries, and for Rust with
// LEAGUE_LONG=1.
func TestLongMCPServersOfOtherLibrariesPlayALeague(t *testing.T) {
	t.Parallel()
	l, others := &leagueOf{t: t, root: t.TempDir()}, slices.Clone(otherLibraries)
	if os.Getenv("LEAGUE_LONG") != "" {
		others = append(others, inRust)
	}
	l.plays(toolPlayers(t, others))
}

// TestMCPServersPlayALeague is a small one, of servers that need no more than a Go program.
func TestMCPServersPlayALeague(t *testing.T) {
	t.Parallel()
	l := &leagueOf{t: t, root: t.TempDir()}
	l.plays(nil, goPlayers(t)...)
}

// plays plays a league of players that do not register, and support nothing but their own tools. The programs are
// restarted between two matches, which loses no match.
func (l *leagueOf) plays(programs []*running, others ...toolPlayer) {
	t, begun, players := l.t, time.Now(), append(playersOf(programs), others...)
	t.Helper()
	recognises(t, players)
	t.Logf("all %d are recognised after %v", len(players), time.Since(begun).Round(time.Millisecond))
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
	referee := l.start("referee", "--port", "0", "--manager", l.manager)
	l.run("start", "--manager", l.manager)
	if len(programs) > 0 {
		l.restartPlayers(programs, referee, len(players)*(len(players)-1)/2)
		t.Logf("all are restarted after %v", time.Since(begun).Round(time.Millisecond))
	}
	for _, row := range l.over(len(players)) {
		if row.Played != len(players)-1 || row.TechnicalLosses != 0 {
			t.Errorf("%s: %d matches, %d technical losses; want %d and none", row.DisplayName, row.Played, row.TechnicalLosses,
				len(players)-1)
		}
	}
	t.Logf("the league is over after %v", time.Since(begun).Round(time.Millisecond))
}

// restartPlayers restarts the programs when a third of the matches is over and none is being played.
func (l *leagueOf) restartPlayers(programs []*running, referee string, matches int) {
	l.t.Helper()
	rpctest.Until(l.t, "a third of the matches", func() (int, bool) {
		_, now, err := client.Status(l.t.Context(), l.admin())
		if err != nil {
			l.t.Fatal(err)
		}
		return now.MatchesCompleted, now.MatchesCompleted >= matches/3
	})
	l.run("pause", "--manager", l.manager)
	idle := 0
	rpctest.Until(l.t, "the end of the matches in play", func() (float64, bool) {
		open := metricstest.Get(l.t, referee)["league_matches_open"]
		if idle++; open > 0 {
			idle = 0
		}
		return open, idle > 50 // an order may have been on its way
	})
	end(programs)
	begin(l.t, programs)
	l.run("resume", "--manager", l.manager)
}

// theToken is the token that the locked server requires.
const theToken = "a-token-of-the-test"

// patient sets all timeouts to a minute, so that a busy machine causes no forfeit.
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

// enlist adds a player. Servers with options are enlisted on the command line; the others by an order over the network,
// which is equivalent and needs no process. A server with a slow handshake is retried.
func (l *leagueOf) enlist(p toolPlayer) {
	l.t.Helper()
	var said struct{ Calls []protocol.ToolUse }
	for end := time.Now().Add(2 * time.Minute); len(said.Calls) == 0 && time.Now().Before(end); {
		if need := needs[p.Kind]; need != nil {
			args := []string{"enlist", p.URL, "--name", p.Kind, "--manager", l.manager}
			for _, word := range need {
				args = append(args, strings.Replace(word, "bearer.txt", filepath.Join(l.root, "bearer.txt"), 1))
			}
			if err := json.Unmarshal(l.run(args...), &said); err != nil {
				l.t.Fatalf("%s: %v", p.Kind, err)
			}
			continue
		}
		ack, err := l.admin().Order(l.t.Context(), &protocol.EnlistAgent{
			Envelope: protocol.Envelope{MessageType: protocol.TypeEnlistAgent}, Role: protocol.RolePlayer, Endpoint: p.URL,
			DisplayName: p.Kind,
		})
		if err != nil {
			l.t.Fatalf("%s: %v", p.Kind, err)
		}
		said.Calls = ack.Calls
	}
	if len(said.Calls) == 0 {
		l.t.Fatalf("%s: what will be called for what is not said", p.Kind)
	}
}

// admin returns a client with the admin token.
func (l *leagueOf) admin() *client.Client {
	l.t.Helper()
	token, err := os.ReadFile(filepath.Join(l.root, "data", "admin.token"))
	if err != nil {
		l.t.Fatal(err)
	}
	patient := map[protocol.Type]time.Duration{protocol.TypeEnlistAgent: time.Minute, protocol.TypeGetStandings: time.Minute}
	return &client.Client{Manager: l.manager, Token: strings.TrimSpace(string(token)),
		Options: rpc.Options{Deadlines: patient}}
}

// over waits until all matches are played, and returns the table.
func (l *leagueOf) over(players int) []protocol.Standing {
	l.t.Helper()
	var s client.Table
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		var err error
		if s, err = client.Standings(l.t.Context(), l.admin()); err != nil {
			l.t.Fatal(err)
		}
		played := 0
		for _, row := range s.Standings {
			played += row.Played
		}
		if played == players*(players-1) {
			return s.Standings
		}
	}
	l.t.Fatalf("the league is not over: %+v", s)
	return nil
}

// tokenIsNowhere holds that the token of a server is in its own file and in no other of the root.
func (l *leagueOf) tokenIsNowhere() {
	l.t.Helper()
	if kept := l.tokensAreApart("bearer.txt"); kept != 1 {
		l.t.Errorf("the token is in %d files of its own; want one", kept)
	}
}

// tokensAreApart holds that theToken is in no file of the root but those of credentials and the given one, and returns the
// number of files of credentials.
func (l *leagueOf) tokensAreApart(given string) (kept int) {
	l.t.Helper()
	err := filepath.WalkDir(l.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == given {
			return nil // some files come and go
		}
		text, _ := os.ReadFile(path)
		switch {
		case filepath.Base(filepath.Dir(path)) == "bearers":
			kept++
		case strings.Contains(string(text), theToken):
			l.t.Errorf("the token is in %s", path)
		}
		return nil
	})
	if err != nil {
		l.t.Error(err)
	}
	return kept
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
