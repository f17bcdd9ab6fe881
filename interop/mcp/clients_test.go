package mcp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/rpc/rpctest"
)

// seen is a client's report on a league that it ran.
type seen struct {
	Tools, Prompts []string
	Progress       []float64
	Updates        int
	State          string
	Standings      []map[string]any
}

// check compares a client's report with the state that the program shows.
func (l *leagueOf) check(s seen) {
	l.t.Helper()
	var own struct{ Standings []map[string]any }
	if err := json.Unmarshal(l.run("standings", "--manager", l.manager), &own); err != nil {
		l.t.Fatal(err)
	}
	if s.State != "LEAGUE_COMPLETED" || len(s.Standings) != 3 {
		l.t.Errorf("got state %q and %d rows", s.State, len(s.Standings))
	}
	for i, row := range s.Standings {
		delete(row, "technical_losses") // which the program shows where there are any
		delete(own.Standings[i], "technical_losses")
		if !reflect.DeepEqual(row, own.Standings[i]) {
			l.t.Errorf("got row %v, want %v", row, own.Standings[i])
		}
	}
	if want := []float64{1, 2, 3}; !slices.Equal(s.Progress, want) {
		l.t.Errorf("got progress %v, want %v", s.Progress, want)
	}
	if s.Updates < l.matches {
		l.t.Errorf("heard of %d updates, want one after each of %d results", s.Updates, l.matches)
	}
	for _, tool := range []string{"get_standings", "start_league", "watch_league", "league_query"} {
		if !slices.Contains(s.Tools, tool) {
			l.t.Errorf("there is no tool %s in %q", tool, s.Tools)
		}
	}
	if want := []string{
		"commentate", "explain_last_match", "play_match", "summarise_round",
	}; !slices.Equal(s.Prompts, want) {
		l.t.Errorf("got prompts %q, want %q", s.Prompts, want)
	}
}

// TestTypeScriptClientsRunALeague has the official clients of TypeScript start a
// league, follow it to its end and read the table.
func TestTypeScriptClientsRunALeague(t *testing.T) {
	t.Parallel()
	dir := programs(t)
	for _, c := range [][]string{
		{"first.mjs"}, {"second.mjs", "legacy"}, {"second.mjs", "auto"}, {"second.mjs", "2026-07-28"},
	} {
		t.Run(strings.Join(c, " "), func(t *testing.T) {
			t.Parallel()
			l := newLeague(t)
			out, err := node(t, dir, append([]string{script(t, dir, c[0]), l.manager, l.token}, c[1:]...)...)
			if err != nil {
				t.Fatal(err)
			}
			var s seen
			if err := json.Unmarshal([]byte(out), &s); err != nil {
				t.Fatalf("%v in %s", err, out)
			}
			l.check(s)
		})
	}
}

// script puts a script of testdata beside the packages that it imports.
func script(t *testing.T, dir, name string) string {
	t.Helper()
	place := t.TempDir()
	if err := os.CopyFS(place, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "node_modules"), filepath.Join(place, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(place, name)
}

// TestGoClientRunsALeague does the same with the SDK of Go, in each version of MCP.
func TestGoClientRunsALeague(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			l := newLeague(t)
			client := &http.Client{Transport: bearer{l.token}}
			l.check(l.play(&mcp.StreamableClientTransport{Endpoint: l.manager, HTTPClient: client}, version))
		})
	}
}

// TestBridgeToStdioRunsALeague does the same through mcp-remote, as hosts do
// that can only start programs.
func TestBridgeToStdioRunsALeague(t *testing.T) {
	t.Parallel()
	dir := programs(t)
	l := newLeague(t)
	cmd := exec.Command(nodeOf(dir), module(dir, "mcp-remote", "dist", "proxy.js"), l.manager, "--transport", "http-only",
		"--header", "Authorization: Bearer "+l.token)
	cmd.Env = append(os.Environ(), "MCP_REMOTE_CONFIG_DIR="+t.TempDir())
	l.check(l.play(&mcp.CommandTransport{Command: cmd}, "2025-06-18"))
}

// A bearer shows a token with every request.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// play runs the league with a client of Go's SDK.
func (l *leagueOf) play(transport mcp.Transport, version string) (out seen) {
	l.t.Helper()
	ctx := l.t.Context()
	var mu sync.Mutex
	progress, updates := []float64{}, 0
	client := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, _ *mcp.ResourceUpdatedNotificationRequest) {
			mu.Lock()
			defer mu.Unlock()
			updates++
		},
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			progress = append(progress, req.Params.Progress)
		},
	})
	s, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		l.t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for tool, err := range s.Tools(ctx, nil) {
		if err != nil {
			l.t.Fatal(err)
		}
		out.Tools = append(out.Tools, tool.Name)
	}
	for prompt, err := range s.Prompts(ctx, nil) {
		if err != nil {
			l.t.Fatal(err)
		}
		out.Prompts = append(out.Prompts, prompt.Name)
	}
	if err := s.Subscribe(ctx, &mcp.SubscribeParams{URI: "league://standings"}); err != nil {
		l.t.Fatal(err)
	}
	l.call(s, &mcp.CallToolParams{Name: "start_league"})
	for since := 0; out.State != "LEAGUE_COMPLETED"; {
		p := &mcp.CallToolParams{Name: "watch_league", Arguments: map[string]any{"since": since}}
		p.SetProgressToken("watching")
		var told struct {
			State    string `json:"state"`
			Recorded int    `json:"matches_completed"`
		}
		if err := json.Unmarshal(l.call(s, p), &told); err != nil {
			l.t.Fatal(err)
		}
		out.State, since = told.State, told.Recorded
	}
	rpctest.Eventually(l.t, "an update and a line of progress for every match", func() bool {
		mu.Lock()
		defer mu.Unlock()
		out.Progress, out.Updates = slices.Clone(progress), updates
		return out.Updates >= l.matches && len(out.Progress) >= l.matches
	})
	read, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: "league://standings"})
	if err != nil {
		l.t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(read.Contents[0].Text), &out); err != nil {
		l.t.Fatal(err)
	}
	return out
}

// call calls a tool and returns its text.
func (l *leagueOf) call(s *mcp.ClientSession, p *mcp.CallToolParams) []byte {
	l.t.Helper()
	res, err := s.CallTool(l.t.Context(), p)
	if err != nil {
		l.t.Fatalf("%s: %v", p.Name, err)
	}
	text := res.Content[0].(*mcp.TextContent).Text
	if res.IsError {
		l.t.Fatalf("%s: %s", p.Name, text)
	}
	return []byte(text)
}
