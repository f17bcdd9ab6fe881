package store_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/config"
	"agentleague/store"
)

const league = "league_2025_even_odd"

// games lists the games that the program can play.
var games = []config.GameEntry{
	{GameType: "even_odd", DisplayName: "Even/Odd", RulesModule: "evenodd", MoveTypes: []string{"choose_parity"},
		ValidChoices: map[string][]string{"choose_parity": {"even", "odd"}}, MinPlayers: 2, MaxPlayers: 2},
	{GameType: "tic_tac_toe", DisplayName: "Tic-Tac-Toe", RulesModule: "tictactoe", MoveTypes: []string{"place_mark"},
		ValidChoices: map[string][]string{"place_mark": {"0-8"}}, MinPlayers: 2, MaxPlayers: 2},
}

// open returns a new tree.
func open(t testing.TB) *store.Root {
	t.Helper()
	return reopen(t, t.TempDir())
}

func reopen(t testing.TB, dir string) *store.Root {
	t.Helper()
	root, err := store.Open(dir, games)
	if err != nil {
		t.Fatal(err)
	}
	return root
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

func path(root *store.Root, name string) string { return filepath.Join(root.Dir(), name) }

func read(t testing.TB, root *store.Root, name string) string {
	t.Helper()
	text, err := os.ReadFile(path(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t testing.TB, root *store.Root, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path(root, name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path(root, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, root *store.Root, name string) {
	t.Helper()
	if err := os.RemoveAll(path(root, name)); err != nil {
		t.Fatal(err)
	}
}

// wantDocument compares a file with JSON, members and their order, but not its spaces.
func wantDocument(t testing.TB, root *store.Root, name, want string) {
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
