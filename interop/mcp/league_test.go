package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"agentleague/rpc/rpctest"
	"agentleague/web/webtest"
)

// program is the program that users have, built once.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "league-mcp-")
	if err != nil {
		return "", err
	}
	if err := openSources(); err != nil {
		return "", err
	}
	return rpctest.Program(dir)
})

// openSources opens every folder of the module, so that the go command runs these
// tests again, and does not answer from its cache, when the program has changed.
func openSources() error {
	return filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "SHARED") {
			return fs.SkipDir
		}
		return err
	})
}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == goProgram {
		playOnStdio()
		return
	}
	code := webtest.Main(m)
	if binary, err := program(); err == nil {
		_ = os.RemoveAll(filepath.Dir(binary))
	}
	os.Exit(code)
}

// A leagueOf is a league whose agents are separate processes, and which waits for an order to start.
type leagueOf struct {
	t                        *testing.T
	root                     string
	manager, referee, player string // endpoints
	token                    string // the admin's
	matches                  int
}

// newLeague starts a manager, a referee and three players; they end with the test.
func newLeague(t *testing.T) *leagueOf {
	t.Helper()
	l := &leagueOf{t: t, root: t.TempDir(), matches: 3}
	l.manager = l.start("manager", "--port", "0", "--start-after", "1h")
	l.referee = l.start("referee", "--port", "0", "--manager", l.manager)
	for i := range 3 {
		l.player = l.start("player", "--port", "0", "--manager", l.manager, "--name", fmt.Sprintf("Ada %d", i+1))
	}
	token, err := os.ReadFile(filepath.Join(l.root, "data", "admin.token"))
	if err != nil {
		t.Fatal(err)
	}
	l.token = strings.TrimSpace(string(token))
	return l
}

// start runs an agent and returns its endpoint once it is in the league. It ends with the test.
func (l *leagueOf) start(args ...string) string {
	l.t.Helper()
	endpoint, kill := l.launch(args...)
	l.t.Cleanup(kill)
	return endpoint
}

// launch runs an agent and returns its endpoint once it has joined the league, and a function that kills it.
func (l *leagueOf) launch(args ...string) (endpoint string, kill func()) {
	l.t.Helper()
	binary, err := program()
	if err != nil {
		l.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(l.t.Context()))
	cmd := exec.CommandContext(ctx, binary, slices.Concat([]string{args[0], "--root", l.root, "--json"}, args[1:])...)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		l.t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	line, _ := lines.ReadString('\n')
	drained := make(chan struct{})
	go func() { defer close(drained); _, _ = lines.WriteTo(bytes.NewBuffer(nil)) }()
	kill = sync.OnceFunc(func() { stop(); <-drained; _ = cmd.Wait() })
	var said struct{ Endpoint string }
	if err := json.Unmarshal([]byte(line), &said); err != nil || said.Endpoint == "" {
		kill()
		l.t.Fatalf("league %s: %q\n%s", args[0], line, problems.String())
	}
	return said.Endpoint, kill
}

// run runs a verb of the program and returns its output.
func (l *leagueOf) run(args ...string) []byte {
	l.t.Helper()
	binary, err := program()
	if err != nil {
		l.t.Fatal(err)
	}
	out, err := exec.CommandContext(l.t.Context(), binary, append(args, "--root", l.root, "--json")...).Output()
	if err != nil {
		l.t.Fatalf("league %s: %v", args[0], err)
	}
	return out
}
