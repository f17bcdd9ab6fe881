package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentleague/config"
	"agentleague/game/catalog"
	"agentleague/game/wasm/wasmtest"
	"agentleague/store"
)

// loaded opens a root whose registry has the games of the program and these entries, and loads its rules.
func loaded(t *testing.T, dir, entries string) (catalog.Catalog, *config.Reader) {
	t.Helper()
	registry := filepath.Join(dir, "config", "games", "games_registry.json")
	if err := os.MkdirAll(filepath.Dir(registry), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(registry, []byte(`{"games": [`+entries+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := store.Open(dir, Games())
	if err != nil {
		t.Fatal(err)
	}
	rules, err := LoadRules(t.Context(), dir, root.Config())
	if err != nil {
		t.Fatal(err)
	}
	return rules, root.Config()
}

func TestModulesOfTheRegistryAreGamesOfTheRoot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "odd.wasm"), wasmtest.Broken("odd", wasmtest.Trap), 0o600); err != nil {
		t.Fatal(err)
	}
	rules, settings := loaded(t, dir, `{"game_type": "odd", "rules_module": "odd.wasm"}`)
	if _, err := rules.Lookup("odd"); err != nil {
		t.Error(err)
	}
	if entry, err := settings.Game("odd"); err != nil || entry.RulesModule != "odd.wasm" {
		t.Errorf("got %+v, %v, want the entry", entry, err)
	}
	if said := settings.Warnings(""); len(said) > 0 {
		t.Errorf("got warnings %q, want none of what an entry leaves out", said)
	}
	if usual, err := settings.StartReferee(""); err != nil || !strings.Contains(strings.Join(usual.GameTypes, " "), "even_odd") {
		t.Errorf("got %v, %v, want a referee with its games", usual.GameTypes, err)
	}
}

func TestModuleOutsideOfTheRootIsRefused(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "odd.wasm"), wasmtest.Broken("odd", wasmtest.Trap), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "odd.wasm"), filepath.Join(dir, "link.wasm")); err != nil {
		t.Skip(err) // some systems restrict symbolic links
	}
	rules, settings := loaded(t, dir, `{"game_type": "odd", "rules_module": "link.wasm"},
		{"game_type": "up", "rules_module": "../`+filepath.Base(outside)+`/odd.wasm"}`)
	for gameType, want := range map[string]string{
		"odd": "link.wasm: path escapes from parent", "up": "want the name of a .wasm file below the root",
	} {
		if _, err := rules.Lookup(gameType); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", gameType, err, want)
		}
		if _, err := settings.Game(gameType); err == nil || !strings.Contains(err.Error(), "games_registry.json:") {
			t.Errorf("%s: got %v, want the place in the registry", gameType, err)
		}
	}
	if said := strings.Join(settings.Warnings(""), "\n"); strings.Count(said, "the game is not played") != 2 {
		t.Errorf("got warnings %s, want two", said)
	}
}
