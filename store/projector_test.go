package store

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"agentleague/league"
	"agentleague/protocol"
)

// TestTheTableIsWrittenLast: a league is taken for finished when its table is, so that nothing else may be missing
// then.
func TestTheTableIsWrittenLast(t *testing.T) {
	t.Parallel()
	root, err := Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(root.Dir(), "data", "leagues", "spring")
	if err := os.MkdirAll(filepath.Join(folder, "rounds.json", "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := NewProjector(root)
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

// TestOnlyWhatHasChangedIsWritten: the rest stays as it is, to the time in it.
func TestOnlyWhatHasChangedIsWritten(t *testing.T) {
	t.Parallel()
	root, err := Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(root.Dir(), "data", "leagues", "spring")
	p := NewProjector(root)
	shown := league.Snapshot{LeagueID: "spring"}
	written := func(change func()) (names []string) {
		t.Helper()
		for _, name := range []string{"agents.json", "rounds.json", "standings.json"} {
			if err := os.WriteFile(filepath.Join(folder, name), nil, 0o644); err != nil && p.last != nil {
				t.Fatal(err)
			}
		}
		change()
		if err := p.Project(shown); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"agents.json", "rounds.json", "standings.json"} {
			if info, err := os.Stat(filepath.Join(folder, name)); err == nil && info.Size() > 0 {
				names = append(names, name)
			}
		}
		return names
	}
	all := []string{"agents.json", "rounds.json", "standings.json"}
	for _, c := range []struct {
		change func()
		want   []string
	}{
		{func() {}, all},
		{func() { shown.Heads = []league.Head{{}} }, nil},
		{func() { shown.Agents = make([]league.AgentView, 1) }, all[:1]},
		{func() { shown.Rounds = []league.RoundView{{Round: 1}} }, all[1:2]},
		{func() { shown.Version = 1 }, all[2:]},
		{func() { shown.Standings = []protocol.Standing{{PlayerID: "P01"}} }, all[2:]},
		{func() { shown.RoundsCompleted = 1 }, all[2:]},
	} {
		if got := written(c.change); !slices.Equal(got, c.want) {
			t.Errorf("%+v: wrote %v, want %v", shown, got, c.want)
		}
	}
}
