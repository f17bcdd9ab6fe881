//go:build !windows

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// move is how long players of these tests have for a move: two seconds, or the thirty of the specification (LEAGUE_LONG=1).
func move() time.Duration {
	if os.Getenv("LEAGUE_LONG") != "" {
		return 30 * time.Second
	}
	return 2 * time.Second
}

// hasty returns a root whose referees have that move timeout and no retries, and whose players meet twice.
func hasty(t *testing.T) (root string) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "SHARED")
	for name, text := range map[string]string{
		"config/system.json": `{"default_league_id": "` + theLeague + `", "timeouts": {"move_timeout_sec": ` + fmt.Sprint(move().Seconds()) + `, "game_join_ack_timeout_sec": 2},
			"retry_policy": {"max_retries": 0}}`,
		"config/leagues/" + theLeague + ".json": `{"league_id": "` + theLeague + `", "game_type": "even_odd", "schedule": {"format": "round_robin", "cycles": 2}}`,
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// recordOf waits for the record of a match.
func recordOf(t *testing.T, root, match string) (rec protocol.MatchRecord) {
	t.Helper()
	rpctest.Eventually(t, "the record of "+match, func() bool {
		doc, err := os.ReadFile(filepath.Join(root, "data/matches", theLeague, match+".json"))
		return err == nil && json.Unmarshal(doc, &rec) == nil
	})
	return rec
}

// stop suspends a process and returns when all its threads are stopped, on systems that report it.
func stop(t *testing.T, p *process) {
	t.Helper()
	p.signal(syscall.SIGSTOP)
	rpctest.Eventually(t, "a process that stands still", func() bool {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.cmd.Process.Pid))
		for _, thread := range threads {
			stat, _ := os.ReadFile(thread)
			if _, rest, ok := strings.Cut(string(stat), ") "); ok && !strings.HasPrefix(rest, "T") {
				return false
			}
		}
		return true
	})
}

// A referee that is suspended during a choice, for longer than the move timeout, causes no forfeit, although the
// players have a single try: it asks again.
func TestAStoppedRefereeMakesNobodyForfeit(t *testing.T) {
	t.Parallel()
	root := hasty(t)
	manager := start(t, "manager", "--port", "0", "--root", root, "--start-when", "players=2,referees=1")
	at := manager.endpoint()
	ref := start(t, "referee", "--port", "0", "--root", root, "--manager", at)
	s := sit(t, at, "Agent One", "Agent Two")
	s.thinks(2)
	stop(t, ref)
	s.play()
	stopped := move()*4/3 + 2*time.Second
	time.Sleep(stopped)
	ref.signal(syscall.SIGCONT)
	rec := recordOf(t, root, "R1M1")
	if len(rec.Result.Forfeits) > 0 {
		t.Errorf("forfeits %v, want none", rec.Result.Forfeits)
	}
	manager.says("The league is over")
	stood := 0.0
	for _, try := range rec.Tries {
		stood = max(stood, try.OverheadMS)
		if try.Outcome != protocol.Answered && !try.Void {
			t.Errorf("%+v counts against its player", try)
		}
		if try.AgentMS > 3000 {
			t.Errorf("%+v: the player is said to have taken the time for which its referee was stopped", try)
		}
	}
	if want := stopped - time.Second; stood < float64(want.Milliseconds()) {
		t.Errorf("the referee measured a delay of its own of %v ms, want most of %v: %+v", stood, stopped, rec.Tries)
	}
	checkWhole(t, root, 2)
	var status struct {
		Referees []struct {
			OverheadMS float64 `json:"overhead_ms"`
		}
		Players []struct {
			AgentMS float64 `json:"agent_ms"`
		}
	}
	once(t, &status, "status", "--root", root, "--manager", at)
	if len(status.Referees) != 1 || len(status.Players) != 2 || status.Referees[0].OverheadMS < 100 || status.Players[0].AgentMS > 1500 {
		t.Errorf("status: got %+v, want the delay with the referee and not with the players", status)
	}
}

// A player that is stopped is late, and loses.
func TestLongAStoppedPlayerForfeits(t *testing.T) {
	t.Parallel()
	root := hasty(t)
	manager := start(t, "manager", "--port", "0", "--root", root, "--start-when", "players=2,referees=1")
	at := manager.endpoint()
	start(t, "referee", "--port", "0", "--root", root, "--manager", at)
	quick := start(t, "player", "--port", "0", "--root", root, "--manager", at, "--id", "P02")
	quick.says("registered with")
	s := sit(t, at, "Agent One")
	s.thinks(1)
	stop(t, quick) // it may have answered in this match
	s.play()
	rec := recordOf(t, root, "R2M1")
	if got := fmt.Sprint(rec.Result.Forfeits); got != "map[P02:E001]" {
		t.Errorf("forfeits %s, want P02 for being late", got)
	}
	listened := 0.0 // short delays of the referee's own are part of it: only a long one makes a try void
	for _, try := range rec.Tries {
		if try.PlayerID == "P02" {
			listened += try.AgentMS + try.OverheadMS
		}
		if try.PlayerID == "P02" && try.AgentMS > 2500 {
			t.Errorf("%+v: want two seconds of silence", try)
		}
	}
	if listened < 1700 {
		t.Errorf("P02 was listened to for %v ms, want two seconds: %+v", listened, rec.Tries)
	}
	quick.signal(syscall.SIGCONT)
	manager.says("The league is over")
	if out := start(t, "verify", "--root", root); out.status() != 0 || !strings.Contains(out.out.String(), "Nothing differs") {
		t.Errorf("verify: %s", out.out.String())
	}
}
