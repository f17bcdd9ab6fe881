package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"agentleague/config"
	"agentleague/metrics/metricstest"
	"agentleague/rpc/rpctest"
)

// The commands of our scripts besides those of testscript.

// managerUp waits until the manager of a root answers and puts its address into $MANAGER.
func managerUp(ts *testscript.TestScript, _ bool, args []string) {
	root := "SHARED"
	if len(args) > 0 {
		root = args[0]
	}
	var agents config.Agents
	rpctest.Eventually(script{ts}, "the manager", func() bool {
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
	ts.Setenv("PORT", portOf(agents.LeagueManager.Endpoint))
}

func portOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return u.Port()
}

// agentUp waits until the agent of an id listens and puts its address into a
// variable, such as: agent-up P01 PLAYER
func agentUp(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: agent-up ID VARIABLE")
	}
	var at string
	rpctest.Eventually(script{ts}, args[0], func() bool {
		b, _ := os.ReadFile(ts.MkAbs("SHARED/data/agents/" + args[0] + ".holder"))
		_, at, _ = strings.Cut(strings.TrimSpace(string(b)), " at ")
		return at != ""
	})
	ts.Setenv(args[1], at)
}

// exit runs a command that must end with a status, such as: exit 2 league fly
func exit(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exit STATUS COMMAND...")
	}
	err := ts.Exec(args[1], args[2:]...)
	status := 0
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		status = failed.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(status) != args[0] {
		ts.Fatalf("exit status %d, want %s", status, args[0])
	}
}

// post sends a file to an agent, with the variables in it filled in, and keeps the answer, such as:
// post $MANAGER request.json answer.json
func post(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: post URL FILE ANSWER")
	}
	send(ts, args[0], os.Expand(ts.ReadFile(args[1]), ts.Getenv), args[2])
}

// flood sends more than any agent reads, such as: flood $PLAYER answer.json
func flood(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: flood URL ANSWER")
	}
	send(ts, args[0], `{"jsonrpc":"2.0","method":"ping","params":{"text":"`+strings.Repeat("x", 2<<20)+`"},"id":1}`, args[1])
}

// send posts a body and writes the answer into a file, after its status if that is not 200.
func send(ts *testscript.TestScript, url, body, file string) {
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	ts.Check(err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	ts.Check(err)
	if resp.StatusCode != http.StatusOK {
		answer = fmt.Appendf(nil, "HTTP %d %s", resp.StatusCode, answer)
	}
	ts.Check(os.WriteFile(ts.MkAbs(file), answer, 0o644))
}

// A script is a test that waits.
type script struct{ *testscript.TestScript }

// Helper implements the interface of tests; a script does not need it.
func (script) Helper() {}

// await waits until a file holds a text.
func await(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: await FILE TEXT")
	}
	rpctest.Until(script{ts}, args[1]+" in "+args[0], func() (text string, ok bool) {
		b, err := os.ReadFile(ts.MkAbs(args[0]))
		return string(b), err == nil && strings.Contains(string(b), args[1])
	})
}

// jsonValue compares a value in a JSON document, such as: json stdout champion.points 6
func jsonValue(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json FILE PATH VALUE")
	}
	if got := valueIn(ts, args[0], args[1]); (got == args[2]) == neg {
		ts.Fatalf("%s: %s is %s, want %s", args[0], args[1], got, args[2])
	}
}

// saveValue puts a value of a JSON document into a variable, such as: save stdout match_id MATCH
func saveValue(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: save FILE PATH VARIABLE")
	}
	ts.Setenv(args[2], valueIn(ts, args[0], args[1]))
}

// valueIn returns a value by its path. A path element of a list that is not an index selects its length.
func valueIn(ts *testscript.TestScript, file, path string) string {
	var v any
	if err := json.Unmarshal([]byte(ts.ReadFile(file)), &v); err != nil {
		ts.Fatalf("%s is not one JSON value: %v", file, err)
	}
	for _, name := range strings.Split(path, ".") {
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
	return fmt.Sprint(v)
}

// interrupt sends the interrupt signal to a background command.
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	for _, cmd := range ts.BackgroundCmds() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			ts.Fatalf("interrupt: %v", err)
		}
	}
}

// metric waits until an agent, named by its id or its endpoint, shows a value at /metrics, such as: metric REF01 league_matches_open 0
func metric(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: metric AGENT ROW VALUE")
	}
	at := args[0]
	if !strings.HasPrefix(at, "http") {
		at = endpointOf(ts, at)
	}
	url := strings.TrimSuffix(at, "/mcp") + "/metrics"
	rpctest.Eventually(script{ts}, strings.Join(args, " "), func() bool {
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
	rpctest.Eventually(script{ts}, id, func() bool {
		var agents config.Agents
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

// endpointInto puts the address of a registered agent into a variable, such as: endpoint P01 PLAYER
func endpointInto(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[1], endpointOf(ts, args[0]))
}

// freePort stores the number of a free port in a variable.
func freePort(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], fmt.Sprint(rpctest.Port()))
}

// configSet sets a key of a config file, such as: config-set SHARED/config/system.json timeouts.move_timeout_sec 5
func configSet(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: config-set FILE KEY VALUE")
	}
	var doc map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &doc))
	at, names := doc, strings.Split(args[1], ".")
	for _, name := range names[:len(names)-1] {
		at = at[name].(map[string]any)
	}
	var value any
	ts.Check(json.Unmarshal([]byte(args[2]), &value))
	at[names[len(names)-1]] = value
	text, err := json.MarshalIndent(doc, "", "  ")
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text, 0o644))
}
