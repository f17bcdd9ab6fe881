package cli

import (
	"os"
	"path/filepath"
	"testing"

	"agentleague/files"
	"agentleague/league"
)

// TestRunKilledAtItsVeryEndIsFinishedByTheNext leaves of a league what a kill after its last result leaves: a log that says that
// it is over, and no table, or not every record. The same command finishes it before it begins another.
func TestRunKilledAtItsVeryEndIsFinishedByTheNext(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	args := []string{"run", "--root", root, "--port", "0", "--players", "3", "--referees", "1"}
	var first, again, next struct {
		LeagueID string `json:"league_id"`
	}
	once(t, &first, args...)
	table := filepath.Join(root, "data", "leagues", first.LeagueID, "standings.json")
	record := filepath.Join(root, "data", "matches", first.LeagueID, "R2M1.json")
	for _, missing := range []string{table, record} {
		if err := os.Remove(missing); err != nil {
			t.Fatal(err)
		}
		once(t, &again, args...)
		if _, err := os.Stat(missing); err != nil || again.LeagueID != first.LeagueID {
			t.Errorf("without %s: played %s, %v; want %s to be finished", filepath.Base(missing), again.LeagueID, err, first.LeagueID)
		}
	}
	once(t, &next, args...)
	if next.LeagueID == first.LeagueID {
		t.Errorf("%s was played again although nothing was missing", next.LeagueID)
	}
}

// TestTheTableIsWrittenLast: a league is taken for finished when its table is, so that nothing else may be missing then.
func TestTheTableIsWrittenLast(t *testing.T) {
	t.Parallel()
	root, err := files.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(root.Dir(), "data", "leagues", theLeague)
	if err := os.MkdirAll(filepath.Join(folder, "rounds.json", "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := &projector{root: root}
	if err := p.Project(league.Snapshot{LeagueID: theLeague}); err == nil {
		t.Error("rounds that cannot be written are no error")
	}
	if _, err := os.Stat(filepath.Join(folder, "standings.json")); err == nil {
		t.Error("the table was written before the rounds")
	}
	if err := os.RemoveAll(filepath.Join(folder, "rounds.json")); err != nil {
		t.Fatal(err)
	}
	if err := p.Project(league.Snapshot{LeagueID: theLeague}); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"rounds.json", "agents.json", "standings.json"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
}
