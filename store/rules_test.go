package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"agentleague/store"
)

func TestRulesAreKeptUntilTheLeagueBegins(t *testing.T) {
	dir := t.TempDir()
	root, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(dir, "data", "leagues", "spring", "rules.wasm")
	keep := func(code, want string) {
		t.Helper()
		if err := root.Leagues().KeepRules("spring", []byte(code)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(kept); err != nil || string(got) != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	keep("first", "first")
	keep("second", "second")
	if err := os.WriteFile(filepath.Join(filepath.Dir(kept), "journal.jsonl"), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	keep("third", "second")
	if err := root.Leagues().KeepRules("../up", nil); err == nil {
		t.Error("a league outside of the root has rules")
	}
}
