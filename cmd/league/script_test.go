package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"agentleague/files"
	"agentleague/metrics/metricstest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"league": main})
}

// TestCommands runs the program as its users do: each script is a folder of its
// own in which commands are typed.
func TestCommands(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"manager-up": managerUp,
			"await":      await,
			"json":       jsonValue,
			"interrupt":  interrupt,
			"metric":     metric,
			"port":       freePort,
			"exits":      exits,
			"endpoint":   endpoint,
		},
	})
}

// managerUp waits until the manager of a root answers and puts its address into $MANAGER.
func managerUp(ts *testscript.TestScript, _ bool, args []string) {
	root := "SHARED"
	if len(args) > 0 {
		root = args[0]
	}
	var agents files.Agents
	until(ts, "the manager", func() bool {
		b, err := os.ReadFile(ts.MkAbs(filepath.Join(root, "data/leagues/league_2025_even_odd/agents.json")))
		if err != nil || json.Unmarshal(b, &agents) != nil {
			return false
		}
		resp, err := http.Get(strings.TrimSuffix(agents.LeagueManager.Endpoint, "/mcp") + "/health")
		if err != nil {
			return false
		}
		return resp.Body.Close() == nil
	})
	ts.Setenv("MANAGER", agents.LeagueManager.Endpoint)
}

// metric waits until an agent shows a value at /metrics, such as: metric REF01 league_matches_open 0
func metric(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: metric AGENT ROW VALUE")
	}
	url := strings.TrimSuffix(endpointOf(ts, args[0]), "/mcp") + "/metrics"
	until(ts, strings.Join(args, " "), func() bool {
		resp, err := http.Get(url)
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		figures, err := metricstest.Read(resp.Body)
		value, ok := figures[args[1]]
		return err == nil && ok && fmt.Sprint(value) == args[2]
	})
}

// endpointOf waits until an agent is registered and returns its address.
func endpointOf(ts *testscript.TestScript, id string) (endpoint string) {
	until(ts, id, func() bool {
		var agents files.Agents
		b, err := os.ReadFile(ts.MkAbs("SHARED/data/leagues/league_2025_even_odd/agents.json"))
		if err != nil || json.Unmarshal(b, &agents) != nil {
			return false
		}
		at := map[string]string{"manager": agents.LeagueManager.Endpoint}
		for _, r := range agents.Referees {
			at[r.RefereeID] = r.Endpoint
		}
		for _, p := range agents.Players {
			at[p.PlayerID] = p.DefaultEndpoint
		}
		endpoint = at[id]
		return endpoint != ""
	})
	return endpoint
}

// endpoint puts the address of a registered agent into a variable, such as: endpoint P01 PLAYER
func endpoint(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[1], endpointOf(ts, args[0]))
}

// freePort puts the number of a port that nobody uses into a variable.
func freePort(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	ts.Check(err)
	defer l.Close()
	ts.Setenv(args[0], fmt.Sprint(l.Addr().(*net.TCPAddr).Port))
}

// exits runs a command that ends with that status, such as: exits 2 league check
func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	status := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	}
	if fmt.Sprint(status) != args[0] {
		ts.Fatalf("status %d (%v), want %s", status, err, args[0])
	}
}

// await waits until a file holds a text.
func await(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: await FILE TEXT")
	}
	until(ts, args[1]+" in "+args[0], func() bool {
		b, err := os.ReadFile(ts.MkAbs(args[0]))
		return err == nil && strings.Contains(string(b), args[1])
	})
}

func until(ts *testscript.TestScript, what string, ok func() bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			ts.Fatalf("waited in vain for %s", what)
		}
	}
}

// jsonValue compares a value in a JSON document, such as: json stdout champion.points 6
func jsonValue(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json FILE PATH VALUE")
	}
	var v any
	if err := json.Unmarshal([]byte(ts.ReadFile(args[0])), &v); err != nil {
		ts.Fatalf("%s is not one JSON value: %v", args[0], err)
	}
	for _, name := range strings.Split(args[1], ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[name]
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(at) {
				v = len(at)
				continue
			}
			v = at[i]
		}
	}
	if got := fmt.Sprint(v); (got == args[2]) == neg {
		ts.Fatalf("%s: %s is %s, want %s", args[0], args[1], got, args[2])
	}
}

// interrupt sends the interrupt signal to a background command.
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	for _, cmd := range ts.BackgroundCmds() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			ts.Fatalf("interrupt: %v", err)
		}
	}
}
