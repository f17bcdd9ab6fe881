package store

import (
	"os"
	"path/filepath"
	"testing"

	"agentleague/files"
	"agentleague/league"
)

// TestTheTableIsWrittenLast: a league is taken for finished when its table is, so that nothing else may be missing
// then.
func TestTheTableIsWrittenLast(t *testing.T) {
	t.Parallel()
	root, err := files.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(root.Dir(), "data", "leagues", "spring")
	if err := os.MkdirAll(filepath.Join(folder, "rounds.json", "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := NewProjector(root, "", "")
	if err := p.Project(league.Snapshot{LeagueID: "spring"}); err == nil {
		t.Error("rounds that cannot be written are no error")
	}
	if _, err := os.Stat(filepath.Join(folder, "standings.json")); err == nil {
		t.Error("the table was written before the rounds")
	}
	if err := os.RemoveAll(filepath.Join(folder, "rounds.json")); err != nil {
		t.Fatal(err)
	}
	if err := p.Project(league.Snapshot{LeagueID: "spring"}); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"rounds.json", "agents.json", "standings.json"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
}
