package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestEnlistSaysWhatIsCalledForWhat enlists MCP servers on the command line, and checks the output.
func TestEnlistSaysWhatIsCalledForWhat(t *testing.T) {
	t.Parallel()
	l := &leagueOf{t: t, root: t.TempDir()}
	l.manager = l.start("manager", "--port", "0", "--start-after", "1h")
	l.run("create", "board", "--game", "tic_tac_toe", "--manager", l.manager)
	open, shut := serving(t, named("join_match", "play"), ""), serving(t, named("choose_parity"), "the right one")
	unclear := serving(t, named("alpha", "beta"), "")
	wrong, right := filepath.Join(t.TempDir(), "wrong"), filepath.Join(t.TempDir(), "right")
	for file, token := range map[string]string{wrong: "the-wrong-one", right: "the-right-one\n"} {
		if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{open}, "GAME_INVITATION: the tool join_match\n  CHOOSE_PARITY_CALL: the tool play\n  GAME_OVER: no tool, is not told"},
		{[]string{unclear}, "it is not clear which tool takes CHOOSE_PARITY_CALL; its tools: alpha, beta; name it with --tool choose_parity=NAME"},
		{[]string{unclear, "--league-id", "board"}, "GAME_MOVE_CALL; its tools: alpha, beta; name it with --tool game_move=NAME"},
		{[]string{unclear, "--tool", "choose_parity=gamma"}, "it has no tool gamma; its tools: alpha, beta; name it with"},
		{[]string{unclear, "--tool", "choose_parity=beta"}, "GAME_INVITATION: no tool, takes part in every match\n  CHOOSE_PARITY_CALL: the tool beta"},
		{[]string{unclear, "--tool", "CHOOSE_PARITY_CALL=alpha"}, "CHOOSE_PARITY_CALL: the tool alpha"},
		{[]string{shut}, "it asks for credentials (HTTP status 401); give the right ones with --bearer-file FILE, --header NAME=FILE or in the URL"},
		{[]string{shut, "--bearer-file", wrong}, "it does not accept the credentials that it was sent (HTTP status 401); give the right ones"},
		{[]string{shut, "--bearer-file", right}, "CHOOSE_PARITY_CALL: the tool choose_parity"},
		{[]string{listening(t, http.NotFoundHandler()) + "/mcp", "--bearer-file", right}, "yet, so its credentials are not kept"},
		{[]string{listening(t, http.NotFoundHandler()) + "/mcp", "--tool", "move=x"}, "tools are named, and no MCP server answers at"},
		{[]string{shut, "--bearer-file", filepath.Join(l.root, "none")}, "--bearer-file: open"},
	} {
		if got := l.says(append([]string{"enlist", "--manager", l.manager}, c.args...)...); !strings.Contains(got, c.want) ||
			strings.Contains(got, "the-wrong-one") || strings.Contains(got, "the-right-one") {
			t.Errorf("%q:\ngot  %s\nwant %s", c.args, got, c.want)
		}
	}
	log, err := os.ReadFile(filepath.Join(l.root, "data", "leagues", "league_2025_even_odd", "journal.jsonl"))
	if err != nil || !strings.Contains(string(log), "mcp:alpha") {
		t.Errorf("what was said last is not in the log, %v", err)
	}
	kept, err := filepath.Glob(filepath.Join(l.root, "data", "bearers", "*"))
	if err != nil || len(kept) != 1 {
		t.Errorf("kept %q, %v; want the right token alone", kept, err)
	}
}

// says runs a verb and returns all of its output.
func (l *leagueOf) says(args ...string) string {
	l.t.Helper()
	binary, err := program()
	if err != nil {
		l.t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(l.t.Context(), binary, append(args, "--root", l.root)...)
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // only the output matters
	return out.String()
}

// named is a server with tools of the given names, whose answers are not used.
func named(names ...string) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "named", Version: "1"}, nil)
	for _, name := range names {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object","properties":{}}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, nil })
	}
	return server
}

// serving serves a server, to those with its token if it has one, and returns its endpoint.
func serving(t *testing.T, server *mcp.Server, token string) string {
	t.Helper()
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	return listening(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token != "" && r.Header.Get("Authorization") != "Bearer "+strings.ReplaceAll(token, " ", "-") {
			http.Error(w, "unauthorized", http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	})) + "/mcp"
}
