package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"agentleague/config"
)

func TestNewLeagueIsWrittenOnceAndReadBack(t *testing.T) {
	root := newLeagueRoot(t)
	edit := func(v *config.League) {
		v.GameType, v.Schedule.Cycles, v.CreatedBy = "tic_tac_toe", 3, "admin"
		v.Start, v.Bots = &config.Start{Players: 4, Referees: 2}, &config.Bots{Players: []string{"random"}, Referees: 2}
	}
	got, err := root.Leagues().Create("spring-2.cup", edit)
	if err != nil || got.GameType != "tic_tac_toe" || got.Schedule.Cycles != 3 || got.Start.Players != 4 ||
		got.Bots.Players[0] != "random" || got.Scoring.WinPoints != 3 {
		t.Fatalf("got %+v, %v", got, err)
	}
	text, _ := os.ReadFile(root.path("config/leagues/spring-2.cup.json"))
	if _, err := root.Leagues().Create("spring-2.cup", func(*config.League) {}); !errors.Is(err, ErrLeagueExists) {
		t.Errorf("again: got %v", err)
	}
	if after, _ := os.ReadFile(root.path("config/leagues/spring-2.cup.json")); string(after) != string(text) {
		t.Error("the settings were changed by one who was refused")
	}
	again, err := Open(root.Dir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := again.Config().League("spring-2.cup"); err != nil || v.Bots.Referees != 2 || v.CreatedBy != "admin" {
		t.Errorf("read back: %+v, %v", v, err)
	}
	if ids, err := again.Leagues().Begun(); err != nil || !slices.Equal(ids, []string{"spring-2.cup"}) {
		t.Errorf("begun: %q, %v; want the one that was made", ids, err)
	}
	if err := errors.Join(again.Leagues().Remove("spring-2.cup")); err != nil || again.Leagues().Has("spring-2.cup") {
		t.Errorf("removed: %v", err)
	}
}

func TestLeagueWithAJournalExists(t *testing.T) {
	root := newLeagueRoot(t)
	for id, text := range map[string]string{"old": "{}\n", "empty": ""} {
		path := root.path("data/leagues/" + id + "/journal.jsonl")
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(root.path("data/leagues/bare"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := root.Leagues().Create("old", func(*config.League) {}); !errors.Is(err, ErrLeagueExists) {
		t.Errorf("got %v", err)
	}
	for _, id := range []string{"empty", "bare"} { // nothing was ever written there
		if _, err := root.Leagues().Create(id, func(*config.League) {}); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	if ids, err := root.Leagues().Begun(); err != nil || !slices.Equal(ids, []string{"old"}) {
		t.Errorf("begun: %q, %v", ids, err)
	}
}

func TestHostileLeagueIDsMakeNothing(t *testing.T) {
	root := newLeagueRoot(t)
	before := tree(t, root.Dir())
	for _, id := range []string{
		"", ".", "..", "../x", "a/b", `a\b`, "/etc/passwd", "a b", "a\x00b", "ä", "a\n", ".hidden", "a..b", "a.",
		strings.Repeat("x", 123), strings.Repeat("x", 1000),
		"P01", "REF02", "P01.lock", "REF01.holder", "P07.log.jsonl", "<script>", "%2e%2e", "con:", "$(id)",
	} {
		if _, err := root.Leagues().Create(id, func(*config.League) {}); err == nil || errors.Is(err, ErrLeagueExists) {
			t.Errorf("%q: got %v", id, err)
		}
		if err := root.Leagues().Remove(id); err == nil {
			t.Errorf("%q was removed", id)
		}
	}
	if after := tree(t, root.Dir()); !slices.Equal(before, after) {
		t.Errorf("got %q, want %q", after, before)
	}
	if _, err := root.Leagues().Create(strings.Repeat("x", 122), func(*config.League) {}); err != nil {
		t.Errorf("a long name: %v", err)
	}
}

func TestSettingsThatCannotBeReadBackAreNotWritten(t *testing.T) {
	root := newLeagueRoot(t)
	for want, edit := range map[string]func(*config.League){
		"schedule.cycles": func(v *config.League) { v.Schedule.Cycles = -1 },
		"start.players":   func(v *config.League) { v.Start = &config.Start{Players: -1} },
		"house.referees":  func(v *config.League) { v.Bots = &config.Bots{Referees: 1_000_000} },
	} {
		if _, err := root.Leagues().Create("spring", edit); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to name %s", err, want)
		}
	}
	if root.Leagues().Has("spring") {
		t.Error("there is a league")
	}
}

// tree lists the files below dir.
func tree(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		out = append(out, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func newLeagueRoot(t *testing.T) *Root {
	t.Helper()
	root, err := Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestManyLookForRoomAtOnce(t *testing.T) {
	dir := t.TempDir()
	var looking sync.WaitGroup
	for range 4 {
		root, err := Open(dir, nil) // as in a separate process
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			looking.Go(func() {
				for range 50 {
					if err := root.Room(); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	looking.Wait()
}
