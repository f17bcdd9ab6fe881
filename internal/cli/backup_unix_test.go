//go:build unix

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agentleague/league"
	"agentleague/rpc/rpctest"
)

// The manager of a league is killed in the middle of a round, its league is moved, and another manager continues it on
// a cluster at the same address: the agents notice only a pause. A backup that was taken before is a prefix of the
// final league.
func TestLongALeagueMovesToAClusterInRoundTwo(t *testing.T) {
	dir, port := t.TempDir(), rpctest.Port()
	at := func(name string) string { return filepath.Join(dir, name) }
	manager := fmt.Sprintf("http://localhost:%d/mcp", port)
	old := start(t, "manager", "--root", at("old"), "--port", fmt.Sprint(port), "--start-when", "players=4,referees=1", "--pace", "2s")
	old.endpoint()
	secret := filepath.Join(at("old"), "data/secrets/referee")
	start(t, "referee", "--root", at("referee"), "--manager", manager, "--referee-secret", secret, "--port", "0")
	for n := range 4 {
		start(t, "player", "--root", at("players"), "--manager", manager, "--name", fmt.Sprintf("Player %d", n+1), "--port", "0")
	}
	rpctest.Eventually(t, "round 2", func() bool { return folded(t, at("old")).Round == 2 })
	var live, moved struct {
		Leagues []struct {
			Round   int
			Entries int `json:"log_entries"`
		}
	}
	once(t, &live, "backup", "--root", at("old"), "--to", at("live.zip"))
	old.signal(syscall.SIGKILL)
	old.status()
	once(t, &moved, "backup", "--move", "--root", at("old"), "--to", at("moved.zip"))
	if r := moved.Leagues[0]; r.Round != 2 || r.Entries < live.Leagues[0].Entries {
		t.Fatalf("got %+v after %+v, want backups of round 2", moved, live)
	}

	nats := startDeployed(t)
	for _, file := range []string{"live.zip", "moved.zip"} {
		ends(t, "restore", at(file), "--root", at("new"), "--engine", nats)
	}
	before := readFile(t, at("old/data/leagues/"+theLeague+"/journal.jsonl"))
	start(t, "manager", "--root", at("new"), "--port", fmt.Sprint(port), "--engine", nats)
	var s *league.State
	rpctest.Eventually(t, "the end of the league", func() bool {
		s = folded(t, at("new"))
		return s.Completed()
	})
	if s.Recorded != 6 || s.Seal != folded(t, at("old")).Seal {
		t.Errorf("got %d results and seal %s", s.Recorded, s.Seal)
	}
	if is := readFile(t, at("new/data/leagues/"+theLeague+"/journal.jsonl")); !strings.HasPrefix(is, before) {
		t.Errorf("the log is\n%s\nwant that it begins\n%s", is, before)
	}
	rpctest.Eventually(t, "all records", func() bool {
		list, _ := os.ReadDir(at("new/data/matches/" + theLeague))
		return len(list) == 6
	})
	mustVerify(t, at("new"), theLeague)
	ends(t, "verify", "--root", at("new"), "--witness", at("players/data/players/P01/witness.json"))

	// And back: out of the cluster into a root with a journal.
	if p := start(t, "backup", "--root", at("new"), "--to", at("copy.zip")); p.status() != 1 {
		t.Error("a copy without its secrets was backed up")
	} else {
		p.says("it is kept by a cluster; name it with --engine")
	}
	ends(t, "backup", theLeague, "--root", at("new"), "--engine", nats, "--to", at("back.zip"))
	ends(t, "restore", at("back.zip"), "--root", at("back"))
	mustVerify(t, at("back"), theLeague)
	if is := readFile(t, at("back/data/secrets/token."+theLeague)); is != readFile(t, at("old/data/secrets/token."+theLeague)) {
		t.Error("the league came back with another secret")
	}
}

// ends runs league to its end, which has to be a good one.
func ends(t *testing.T, args ...string) {
	t.Helper()
	if p := start(t, args...); p.status() != 0 {
		t.Fatalf("league %v: %s", args, p.errs.String())
	}
}
