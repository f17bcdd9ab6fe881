package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"agentleague/store"
)

// configFiles are the files of a new tree. Their content is tested in package config.
var configFiles = []string{
	"config/system.json",
	"config/agents/agents_config.json",
	"config/leagues/league_2025_even_odd.json",
	"config/games/games_registry.json",
	"config/defaults/referee.json",
	"config/defaults/player.json",
}

func TestANewTreeHasADefaultLeague(t *testing.T) {
	if got := open(t).DefaultLeague(); got != league {
		t.Errorf("got %s, want %s", got, league)
	}
}

func TestANewTreeHasItsFoldersAndNothingElse(t *testing.T) {
	root := open(t)
	for _, folder := range []string{
		"data/leagues", "data/matches", "data/players", "logs/league", "logs/agents", "logs/system",
	} {
		if info, err := os.Stat(path(root, folder)); err != nil || !info.IsDir() {
			t.Errorf("%s: got %v, %v; want a folder", folder, info, err)
		}
	}
	if got := filesIn(t, root.Dir()); got != len(configFiles) {
		t.Errorf("got %d files, want the %d of config/", got, len(configFiles))
	}
}

func filesIn(t *testing.T, dir string) (n int) {
	err := filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return err
	})
	mustSucceed(t, err)
	return n
}

func TestConfigThatIsThereIsNeverWritten(t *testing.T) {
	root := open(t)
	for _, name := range configFiles {
		own := strings.Replace(read(t, root, name), "{", "{\n\n  \"mine\": true,", 1)
		write(t, root, name, own)
		reopen(t, root.Dir())
		if got := read(t, root, name); got != own {
			t.Errorf("%s: got %s, want it as it was", name, got)
		}
	}
}

func TestTheDefaultLeagueIsTheOneOfSystemJSON(t *testing.T) {
	root := open(t)
	system := strings.Replace(read(t, root, "config/system.json"), league, "spring.cup", 1)
	write(t, root, "config/system.json", system)
	root = reopen(t, root.Dir())
	if got := root.DefaultLeague(); got != "spring.cup" {
		t.Errorf("got %s, want spring.cup", got)
	}
	got, err := root.Config().League("spring.cup")
	mustSucceed(t, err)
	if got.LeagueID != "spring.cup" || got.DisplayName != "spring.cup" || got.Scoring.WinPoints != 3 {
		t.Errorf("got %+v, want the default settings under that id", got)
	}
	if _, err := os.Stat(path(root, "config/leagues/spring.cup.json")); err != nil {
		t.Errorf("want a file for the default league: %v", err)
	}
}

func TestManyMayOpenATreeAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if _, err := store.Open(dir, games); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := filesIn(t, dir); got != len(configFiles) {
		t.Errorf("got %d files, want %d", got, len(configFiles))
	}
}

func TestATreeThatCannotBeMadeIsAnError(t *testing.T) {
	dir := t.TempDir()
	for name, spoil := range map[string]func(root string) error{
		"a file in place of the root": func(root string) error { return os.WriteFile(root, nil, 0o644) },
		"a file in place of config": func(root string) error {
			return os.WriteFile(filepath.Join(root, "config"), nil, 0o644)
		},
		"a folder in place of a config": func(root string) error {
			return os.MkdirAll(filepath.Join(root, "config/system.json"), 0o755)
		},
		"a config that is wrong": func(root string) error {
			mustSucceed(t, os.MkdirAll(filepath.Join(root, "config"), 0o755))
			return os.WriteFile(filepath.Join(root, "config/system.json"), []byte("{}}"), 0o644)
		},
	} {
		root := filepath.Join(dir, name)
		if name != "a file in place of the root" {
			mustSucceed(t, os.Mkdir(root, 0o755))
		}
		mustSucceed(t, spoil(root))
		if _, err := store.Open(root, games); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
