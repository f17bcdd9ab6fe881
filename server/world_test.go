package server

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/config"
	"agentleague/host"
	"agentleague/league"
	"agentleague/rpc/rpctest"
	"agentleague/store"
)

// openServer serves a league of a game on a free port, with built-in players and one referee. It starts when that
// number of other players has joined.
func openServer(t testing.TB, gameType string, builtIn []string, others int) *Server {
	t.Helper()
	h := newEnv(t)
	h.System.Timeouts.MoveTimeoutSec = 120 // a machine may be slow
	h.League.GameType = gameType
	h.League.Bots = &config.Bots{Players: builtIn, Referees: 1}
	h.League.Start = &config.Start{Players: len(builtIn) + others, Referees: 1}
	return openEnv(t, h)
}

// openEnv starts a server that is ended with the test.
func openEnv(t testing.TB, h *host.Env) *Server {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	c, err := Open(ctx, h, Options{})
	if err != nil {
		stop()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// newEnv returns a new root with the default settings.
func newEnv(t testing.TB) *host.Env {
	t.Helper()
	root, err := store.Open(filepath.Join(t.TempDir(), "SHARED"), host.Games())
	if err != nil {
		t.Fatal(err)
	}
	h := &host.Env{Root: root, Net: &host.Net{Host: "localhost"}, Screen: io.Discard, Level: slog.LevelError}
	if h.System, err = root.Config().System(); err != nil {
		t.Fatal(err)
	}
	if h.League, err = root.Config().League(root.DefaultLeague()); err != nil {
		t.Fatal(err)
	}
	return h
}

// A textHost is an MCP host whose model sees only texts.
type textHost struct {
	t       *testing.T
	session *mcp.ClientSession
}

// dialText connects to a server, with a token if there is one.
func dialText(t *testing.T, c *Server, token, version string) *textHost {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "texts", Version: "1"}, nil)
	transport := &mcp.StreamableClientTransport{
		Endpoint: c.First.Endpoint(), HTTPClient: &http.Client{Transport: bearer(token), Timeout: rpctest.Patience}, DisableStandaloneSSE: true,
	}
	s, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return &textHost{t, s}
}

// A bearer shows a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// call calls a tool and returns the first text of its answer, and whether the call succeeded.
func (h *textHost) call(tool string, arguments map[string]any) (text string, done bool) {
	h.t.Helper()
	res, err := h.session.CallTool(h.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return err.Error(), false
	}
	return res.Content[0].(*mcp.TextContent).Text, !res.IsError
}

// awaitReferee waits until the built-in referee is in the league.
func awaitReferee(t *testing.T, c *Server) {
	t.Helper()
	rpctest.Eventually(t, "the referee", func() (yes bool) {
		c.First.Manager.Read(func(s *league.State) { yes = s.Agents["REF01"] != nil })
		return yes
	})
}

// fact returns the value of a named line of a text.
func fact(text, name string) string {
	line := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + `: (.*)$`).FindStringSubmatch(text)
	if line == nil {
		return ""
	}
	return strings.TrimSpace(line[1])
}
