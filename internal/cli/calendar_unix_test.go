//go:build !windows

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/rpc/rpctest"
	"agentleague/store"
)

// A league with a round every two seconds is killed between two rounds and continued: no round begins before its time,
// none is left out, and the log verifies.
func TestRoundsKeepTheirTimesOverAKill(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	args := []string{"run", "--root", root, "--port", "0", "--players", "4", "--round-every", "2s", "--pause", "1999-01-01..1999-01-02"}
	log := journal.Path(filepath.Join(root, "data"), theLeague)
	first := start(t, args...)
	rpctest.Eventually(t, "the end of round 1", func() bool {
		s, err := league.Fold(store.Entries(log))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Log(err)
		}
		return err == nil && s.Round == 1 && !s.RoundOpen
	})
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	first.status()
	again := start(t, args...)
	if again.status() != 0 {
		t.Fatal("the league was not played to its end")
	}
	again.says("round 1 of 3; the next at ")
	var opened []time.Time
	for entry, err := range store.Entries(log) {
		if err != nil {
			t.Fatal(err)
		}
		at, events, err := league.DecodeBatch(entry.Data)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if _, is := e.(league.RoundOpened); is {
				opened = append(opened, at)
			}
		}
	}
	for i := range len(opened) - 1 {
		if apart := opened[i+1].Sub(opened[0]); apart < time.Duration(i+1)*2*time.Second {
			t.Errorf("round %d begins %v after the first", i+2, apart)
		}
	}
	if len(opened) != 3 || start(t, "verify", "--root", root).status() != 0 {
		t.Errorf("%d rounds were opened, want 3 that verify", len(opened))
	}
}
