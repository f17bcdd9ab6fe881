package backup_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"agentleague/backup"
	"agentleague/internal/cli"
	"agentleague/rpc/rpctest"
	"agentleague/verify"
)

// A backup that is taken during play is the league at one moment: it has no record without its log entry, and each
// backup is a prefix of the next.
func TestABackupOfALeagueInPlayIsWhole(t *testing.T) {
	t.Parallel()
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	var errs bytes.Buffer
	over := make(chan int, 1)
	go func() {
		over <- cli.Main([]string{"run", "--port", "0", "--json", "--root", from, "--players", "12"}, io.Discard, &errs)
	}()
	for n := 0; n < 5 && len(over) == 0; n++ {
		file, m := take(t, from)
		entries := m.Leagues[0].Entries
		mustRestore(t, file, to)
		for _, d := range verify.League(os.DirFS(to), theLeague, verify.Proofs{}).Differences {
			t.Errorf("backup %d, of %d entries: %s", n+1, entries, d)
		}
	}
	if status := <-over; status != 0 {
		t.Fatalf("run: %s", errs.String())
	}
	file, m := take(t, from)
	mustRestore(t, file, to)
	if v := verify.Patiently(os.DirFS(to), theLeague); !v.OK || v.Verified != 66 || m.Leagues[0].Results != 66 {
		t.Errorf("at the end: %+v", v)
	}
}

// take takes a backup, as soon as there is something to take.
func take(t *testing.T, root string) (path string, m backup.Manifest) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "backup.zip")
	rpctest.Eventually(t, "a league", func() bool {
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err = backup.Take(t.Context(), os.DirFS(root), []string{theLeague}, nil, file)
		err = errors.Join(err, file.Close())
		if err != nil && len(m.Leagues) > 0 {
			t.Fatal(err)
		}
		return err == nil
	})
	return path, m
}
