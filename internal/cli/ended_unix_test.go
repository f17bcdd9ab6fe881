//go:build !windows

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"agentleague/engine/journal"
	"agentleague/rpc/rpctest"
)

// A SIGTERM that comes with the last result loses no record and is no failure: the league is over.
func TestSIGTERMAtTheEndOfALeagueKeepsItsRecords(t *testing.T) {
	t.Parallel()
	for i := range 5 {
		for verb, play := range map[string]func(t *testing.T, root string) *process{"run": playAlone, "manager": playWithOthers} {
			t.Run(fmt.Sprintf("%s %d", verb, i+1), func(t *testing.T) {
				root := t.TempDir()
				p := play(t, root)
				rpctest.Until(t, "the end of the league in its log", func() (size int, over bool) {
					log, _ := os.ReadFile(journal.Path(root+"/data", theLeague))
					return len(log), strings.Contains(string(log), `"LeagueCompleted"`)
				})
				p.signal(syscall.SIGTERM)
				if status := p.status(); status != 0 {
					t.Errorf("status %d, want 0", status)
				}
				records, _ := filepath.Glob(filepath.Join(root, "data/matches", theLeague, "R*M*.json"))
				for i := range records {
					records[i] = filepath.Base(records[i])
				}
				want := []string{"R1M1.json", "R1M2.json", "R2M1.json", "R2M2.json", "R3M1.json", "R3M2.json"}
				if slices.Sort(records); !slices.Equal(records, want) {
					t.Errorf("records %q, want %q", records, want)
				}
			})
		}
	}
}

func playAlone(t *testing.T, root string) *process {
	return start(t, "run", "--root", root, "--port", "0")
}

// playWithOthers plays a league whose referees and players are processes with their own roots.
func playWithOthers(t *testing.T, root string) *process {
	p := start(t, "manager", "--root", root, "--port", "0", "--start-when", "players=4,referees=1")
	at := p.endpoint()
	start(t, "referee", "--root", t.TempDir(), "--port", "0", "--manager", at)
	for _, name := range []string{"Ada", "Bo", "Cy", "Di"} {
		start(t, "player", "--root", t.TempDir(), "--port", "0", "--manager", at, "--name", name)
	}
	return p
}
