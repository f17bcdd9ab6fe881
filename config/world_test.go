package config_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/config"
)

const league = "league_2025_even_odd"

// games lists the games that the program can play.
var games = []config.GameEntry{
	{GameType: "even_odd", DisplayName: "Even/Odd", RulesModule: "evenodd", MoveTypes: []string{"choose_parity"},
		ValidChoices: map[string][]string{"choose_parity": {"even", "odd"}}, MinPlayers: 2, MaxPlayers: 2},
	{GameType: "tic_tac_toe", DisplayName: "Tic-Tac-Toe", RulesModule: "tictactoe", MoveTypes: []string{"place_mark"},
		ValidChoices: map[string][]string{"place_mark": {"0-8"}}, MinPlayers: 2, MaxPlayers: 2},
}

// A tree is a root with config files in it, and their reader.
type tree struct {
	dir    string
	reader *config.Reader
}

func (r tree) Dir() string            { return r.dir }
func (r tree) Config() *config.Reader { return r.reader }

// open returns a new tree.
func open(t testing.TB) tree {
	t.Helper()
	return reopen(t, t.TempDir())
}

// reopen returns the tree at dir, with nothing read of it but system.json.
func reopen(t testing.TB, dir string) tree {
	t.Helper()
	root, err := tryOpen(dir)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func tryOpen(dir string) (tree, error) {
	reader, err := config.Open(dir, games, func(name string, text []byte) error {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, text, 0o644))
	})
	return tree{dir, reader}, err
}

// atTime runs f with a clock that stands at that time.
func atTime(t *testing.T, at string, f func(t *testing.T)) {
	t.Helper()
	when, err := time.Parse(time.RFC3339, at)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(when))
		f(t)
	})
}

func path(root tree, name string) string { return filepath.Join(root.Dir(), name) }

func read(t testing.TB, root tree, name string) string {
	t.Helper()
	text, err := os.ReadFile(path(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t testing.TB, root tree, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path(root, name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path(root, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, root tree, name string) {
	t.Helper()
	if err := os.RemoveAll(path(root, name)); err != nil {
		t.Fatal(err)
	}
}

// wantDocument compares a file with JSON, members and their order, but not its spaces.
func wantDocument(t testing.TB, root tree, name, want string) {
	t.Helper()
	if got, want := compact(t, read(t, root, name)), compact(t, want); got != want {
		t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
	}
}

func compact(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return b.String()
}

func wantError(t testing.TB, err error, want string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("got no error, want %s", want)
	case err.Error() != want:
		t.Errorf("\ngot  %s\nwant %s", err, want)
	}
}

func mustSucceed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
