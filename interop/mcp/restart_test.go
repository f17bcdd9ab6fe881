package mcp_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/client"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// TestRestartedMCPServerLosesAtMostTheMatchInHand is a league of servers of the library of Go, which lose their sessions in
// the middle.
func TestRestartedMCPServerLosesAtMostTheMatchInHand(t *testing.T) {
	t.Parallel()
	var players []toolPlayer
	var restarts []func()
	for _, name := range []string{"Fox", "Owl", "Elk", "Bee"} {
		var now atomic.Pointer[mcp.StreamableHTTPHandler]
		again := func() {
			server := serverOf(tool{"choose_parity", ofMatch, func(*mcp.ServerSession, map[string]any) (string, error) {
				time.Sleep(50 * time.Millisecond)
				return "odd", nil
			}})
			now.Store(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
		}
		again()
		restarts = append(restarts, again)
		players = append(players, toolPlayer{name, listening(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			now.Load().ServeHTTP(w, r)
		})) + "/mcp"})
	}
	l := &leagueOf{t: t, root: t.TempDir()}
	l.playsOverARestart(players, func() {
		for _, again := range restarts {
			again()
		}
	}, func() {})
}

// TestLongRestartedLibrariesLoseAtMostTheMatchInHand is the same for programs that are killed and started again.
func TestLongRestartedLibrariesLoseAtMostTheMatchInHand(t *testing.T) {
	t.Parallel()
	for _, one := range []library{libraries[0], otherLibraries[1], libraries[2]} { // mcp of Python, fastmcp 2, the TypeScript SDK
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			programs := toolPlayers(t, []library{one})
			l := &leagueOf{t: t, root: t.TempDir()}
			l.playsOverARestart(playersOf(programs), func() { end(programs) }, func() { begin(t, programs) })
		})
	}
}

// playsOverARestart plays a league of MCP servers that end when a third of its matches is over, while others are being
// played. Each player may lose one of those. The league is paused until the servers are back, however long they take.
func (l *leagueOf) playsOverARestart(players []toolPlayer, end, again func()) {
	t := l.t
	t.Helper()
	l.patient()
	l.manager = l.start("manager", "--port", "0", "--start-after", "1h")
	if err := os.WriteFile(filepath.Join(l.root, "bearer.txt"), []byte(theToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, p := range players {
		l.enlist(p)
	}
	l.start("referee", "--port", "0", "--manager", l.manager)
	l.run("start", "--manager", l.manager)
	matches := len(players) * (len(players) - 1) / 2
	over := func() int {
		_, now, err := client.Status(context.WithoutCancel(t.Context()), l.admin())
		if err != nil {
			t.Fatal(err)
		}
		return now.MatchesCompleted
	}
	rpctest.Until(t, "a third of the matches", func() (int, bool) { n := over(); return n, n >= matches/3 })
	began, before := time.Now(), over()
	end()
	order := func(what protocol.Type) {
		if _, err := l.admin().Order(t.Context(), &protocol.Tool{Envelope: protocol.Envelope{MessageType: what}}); err != nil {
			t.Fatal(err)
		}
	}
	order(protocol.TypePauseLeague)
	again()
	order(protocol.TypeResumeLeague)
	t.Logf("restarted within %v, after %d of %d matches", time.Since(began).Round(time.Millisecond), before, matches)
	lost := 0
	for _, row := range l.over(len(players)) {
		lost += row.TechnicalLosses
		if row.Played != len(players)-1 || row.TechnicalLosses > 1 {
			t.Errorf("%s: %d matches, %d technical losses; want %d, and the match in hand at most", row.DisplayName, row.Played,
				row.TechnicalLosses, len(players)-1)
		}
	}
	t.Logf("%d of %d matches have a technical loss", lost, matches)
	if before == matches {
		t.Error("the league was over before the restart")
	}
}
