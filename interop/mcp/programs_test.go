package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/rpc/rpctest"
)

// goProgram is the first argument with which this test program is a player over standard input and output.
const goProgram = "mcp-player"

// playOnStdio is that player. It ends when its client has gone.
func playOnStdio() {
	server := serverOf(answers("choose_parity", ofMatch, "odd"))
	_ = server.Run(context.Background(), &mcp.StdioTransport{})
}

// TestProgramsPlayALeague is a league of programs that are enlisted with --stdio.
func TestProgramsPlayALeague(t *testing.T) {
	t.Parallel()
	program := []string{os.Args[0], goProgram}
	programsPlay(t, map[string][]string{"Fox": program, "Owl": program})
}

// TestLongProgramsOfTheLibrariesPlayALeague is the same for programs that are written with the libraries.
func TestLongProgramsOfTheLibrariesPlayALeague(t *testing.T) {
	t.Parallel()
	commands, folder := map[string][]string{}, t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(filepath.Join("testdata", "servers"))); err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string]library{
		"python":     {"", python("requirements-official.txt", "program.py")},
		"python 2":   {"", python("requirements-fastmcp2.txt", "program_fast.py")},
		"python 4":   {"", python("requirements-fastmcp4.txt", "program_fast.py")},
		"typescript": {"", inNode("program.mjs")},
	} {
		cmd, err := run.run(folder)
		rpctest.OrWithout(t, "", err)
		command := []string{"env"}
		for _, variable := range cmd.Env {
			if strings.HasPrefix(variable, "PYTHONPATH=") {
				command = append(command, variable)
			}
		}
		commands[name] = append(command, cmd.Args[0], filepath.Join(folder, cmd.Args[1]))
	}
	programsPlay(t, commands)
}

// programsPlay enlists a program for each name, and starts one of them again, which is the same player then.
func programsPlay(t *testing.T, commands map[string][]string) {
	t.Helper()
	l := &leagueOf{t: t, root: t.TempDir()}
	l.patient()
	l.manager = l.start("manager", "--port", "0", "--start-after", "1h")
	l.start("referee", "--port", "0", "--manager", l.manager)
	again := true
	for name, command := range commands {
		args := slices.Concat([]string{"enlist", "--manager", l.manager, "--stdio", "--name", name, "--"}, command)
		endpoint, kill := l.launch(args...)
		if again {
			kill()
			var same string
			if same, kill = l.launch(args...); same != endpoint {
				t.Errorf("%s is at %s, and was at %s before", name, same, endpoint)
			}
		}
		again = false
		t.Cleanup(kill)
	}
	l.run("start", "--manager", l.manager)
	rows := l.over(len(commands))
	if len(rows) != len(commands) {
		t.Errorf("%d players, want %d", len(rows), len(commands))
	}
	for _, row := range rows {
		if row.TechnicalLosses != 0 || commands[row.DisplayName] == nil {
			t.Errorf("%s: %d technical losses; want none", row.DisplayName, row.TechnicalLosses)
		}
	}
}

// posts sends a request to the manager with the admin's token, and returns the answer.
func (l *leagueOf) posts(body string) string {
	l.t.Helper()
	req, err := http.NewRequestWithContext(l.t.Context(), http.MethodPost, l.manager, strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+l.admin().Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		l.t.Fatal(err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	return string(said)
}

// TestNoMessageStartsAProgram orders to enlist what is no address.
func TestNoMessageStartsAProgram(t *testing.T) {
	t.Parallel()
	l := &leagueOf{t: t, root: t.TempDir()}
	l.manager = l.start("manager", "--port", "0", "--start-after", "1h")
	marked := filepath.Join(t.TempDir(), "started")
	for _, endpoint := range []string{"stdio:touch " + marked, "exec:touch " + marked, "file:///usr/bin/touch", "touch " + marked} {
		order := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
			"name": "enlist_agent", "arguments": map[string]string{"role": "player", "endpoint": endpoint}}}
		body, err := json.Marshal(order)
		if err != nil {
			t.Fatal(err)
		}
		if said := l.posts(string(body)); !strings.Contains(said, "want a URL such as") {
			t.Errorf("%s: got %s", endpoint, said)
		}
	}
	if _, err := os.Stat(marked); err == nil {
		t.Error("a program was started")
	}
}
