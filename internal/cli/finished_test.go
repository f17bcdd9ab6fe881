package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRunKilledAtItsVeryEndIsFinishedByTheNext creates the files that a kill after the last result leaves: a log of a
// completed league without the table or some records. The same command completes it before it starts another league.
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
