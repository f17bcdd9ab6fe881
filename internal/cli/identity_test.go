package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"agentleague/host"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
	"agentleague/store"
)

// readJSON reads a file of a root.
func readJSON(t *testing.T, v any, parts ...string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A player that is killed continues under its identity from another port; another agent of that name cannot.
func TestPlayerComesBackAsItself(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "SHARED")
	manager := start(t, "manager", "--port", "0", "--root", root, "--start-when", "players=9,referees=1")
	at := manager.endpoint()
	join := func(root string) *process {
		return start(t, "player", "--port", "0", "--root", root, "--manager", at, "--name", "Dana")
	}
	first := join(root)
	first.says("Dana is P01")
	file := filepath.Join(root, "data/identities", theLeague, "player-dana.json")
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v, %v; want it to be its owner's alone", file, info, err)
	}
	second := join(root)
	if status := second.status(); status != 1 || !strings.Contains(second.errs.String(), `an agent called "Dana" is already running: P01`) {
		t.Errorf("a second one on the same root: status %d, %q", status, second.errs.String())
	}
	if other := join(filepath.Join(t.TempDir(), "OTHER")); other.status() != 1 || !strings.Contains(other.errs.String(), "Dana") {
		t.Errorf("one of that name elsewhere: %q; want it refused", other.errs.String())
	}
	_ = first.cmd.Process.Kill()
	<-first.exited
	join(root).says("Dana is P01")
}

// An agent that was refused because its identity is taken keeps its key: after a restart it is readmitted with the code
// of the refusal.
func TestPlayerIsLetInByItsCode(t *testing.T) {
	t.Parallel()
	root, empty := filepath.Join(t.TempDir(), "SHARED"), filepath.Join(t.TempDir(), "EMPTY")
	at := start(t, "manager", "--port", "0", "--root", root, "--start-when", "players=9,referees=1").endpoint()
	join := func(root, port string) *process {
		return start(t, "player", "--port", port, "--root", root, "--manager", at, "--name", "Dana")
	}
	join(root, "0").says("Dana is P01")
	port := lastingPort()
	twin := join(empty, port)
	if status := twin.status(); status != 1 || !strings.Contains(twin.errs.String(), "listens at http://localhost:"+port+"/mcp") {
		t.Fatalf("one of that name elsewhere: status %d, %q; want it refused", status, twin.errs.String())
	}
	var kept store.Identity
	readJSON(t, &kept, empty, "data/identities", theLeague, "player-dana.json")
	if kept.PrivateKey == "" || len(kept.Places) != 0 {
		t.Errorf("who was refused keeps %+v, want its key and nothing else", kept)
	}
	told := start(t, "status", "--manager", at, "--root", root)
	code := regexp.MustCompile(`league readmit P01 ([A-Z]{4})`)
	if told.status() != 0 || !code.MatchString(told.out.String()) {
		t.Fatalf("status tells %q, want a code", told.out.String())
	}
	if p := start(t, "readmit", "P01", code.FindStringSubmatch(told.out.String())[1], "--manager", at, "--root", root); p.status() != 0 {
		t.Fatalf("readmit: %s", p.errs.String())
	}
	join(empty, port).says("Dana is P01")
}

// A run that is killed continues on other ports with the same agents, and its files verify.
func TestRunGoesOnAtOtherPortsWithTheSameAgents(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "SHARED")
	command := []string{"run", "--port", "0", "--root", root, "--players", "4", "--referees", "1", "--json", "--pace", "2s"}
	first := start(t, command...)
	rpctest.Eventually(t, "a match that is over", func() bool {
		found, _ := filepath.Glob(filepath.Join(root, "data/matches", theLeague, "R1M*.json"))
		return len(found) > 0
	})
	_ = first.cmd.Process.Kill()
	<-first.exited
	var before, after store.Identity
	readJSON(t, &before, root, "data/identities", theLeague, "player-agent-alpha.json")
	again := start(t, command[:len(command)-2]...)
	if again.status() != 0 || !strings.Contains(again.out.String(), `"technical_losses": 0`) && !strings.Contains(again.out.String(), `"technical_losses":0`) {
		t.Fatalf("the run that goes on: %s%s", again.out.String(), again.errs.String())
	}
	readJSON(t, &after, root, "data/identities", theLeague, "player-agent-alpha.json")
	if len(before.Places) != 1 || len(after.Places) != 1 || before.Places[0].ID != "P01" ||
		after.Places[0].ID != "P01" || after.Places[0].OwnerKey != before.Places[0].OwnerKey ||
		after.PrivateKey != before.PrivateKey {
		t.Errorf("Agent Alpha was %s, and is %s", before.Places[0].ID, after.Places[0].ID)
	}
	var w player.Witness
	readJSON(t, &w, root, "data/players/P01/witness.json")
	if len(w.Heads) != 5 || w.Heads[0].What != player.HeadStarted || w.Heads[4].What != player.HeadCompleted || w.Seal != after.Places[0].Seal {
		t.Errorf("P01 has heard %+v; want the start, three rounds and the end of %s", w, after.Places[0].Seal)
	}
	var rec protocol.MatchRecord
	readJSON(t, &rec, root, "data/matches", theLeague, "R3M1.json")
	if len(rec.Signed) != 2 {
		t.Errorf("R3M1 is signed by %d players, want both", len(rec.Signed))
	}
}

func TestJoinKeyComesFromAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	for text, want := range map[string]string{"key_abc\n": "key_abc", "": "", "two keys": ""} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := agentFlags{Agent: host.Agent{JoinKey: "key_env"}, joinKeyFile: file}.readJoinKey()
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v; want %q", text, got, err, want)
		}
	}
	if got, err := (agentFlags{Agent: host.Agent{JoinKey: "key_env"}}).readJoinKey(); err != nil || got != "key_env" {
		t.Errorf("without a file: %q, %v; want what the environment says", got, err)
	}
	if _, err := (agentFlags{joinKeyFile: file + "x"}).readJoinKey(); err == nil || !strings.Contains(err.Error(), "--join-key-file") {
		t.Errorf("a file that is not there: %v; want an error that names the flag", err)
	}
}
