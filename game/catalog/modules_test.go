package catalog_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/game/wasm/wasmtest"
)

func TestModulesAreListedBehindTheGamesOfTheProgram(t *testing.T) {
	root := fstest.MapFS{
		"config/games/odd.wasm": {Data: wasmtest.Broken("odd", wasmtest.Trap)},
		"config/games/bad.wasm": {Data: []byte("no module")},
	}
	c := catalog.Catalog{}.With(t.Context(), root, "odd", "config/games/odd.wasm").With(t.Context(), root, "bad", "config/games/bad.wasm").
		With(t.Context(), root, "other", "config/games/odd.wasm").With(t.Context(), root, "gone", "config/games/gone.wasm")
	if got, want := c.Types(), append(catalog.Types(), "odd"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	g, err := c.Lookup("odd")
	if err != nil || game.Digest(g) == "" {
		t.Errorf("got %v, %v, want the module, which has a digest", g, err)
	}
	for gameType, want := range map[string]string{
		"bad":   "the rules of bad cannot be used: config/games/bad.wasm: it is not a WebAssembly module",
		"other": "the rules of other cannot be used: config/games/odd.wasm has those of odd",
		"gone":  "the rules of gone cannot be used: config/games/gone.wasm: file does not exist",
		"chess": `unknown game "chess": use one of ` + strings.Join(append(catalog.Types(), "odd"), ", "),
	} {
		if g, err := c.Lookup(gameType); g != nil || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, %v, want %q", gameType, g, err, want)
		}
	}
	if got := (catalog.Catalog{}).Types(); !slices.Equal(got, catalog.Types()) {
		t.Errorf("the catalog of the program has become %q", got)
	}
}

func TestModuleDoesNotReplaceAGameOfTheProgram(t *testing.T) {
	root := fstest.MapFS{"x.wasm": {Data: wasmtest.Broken("even_odd", wasmtest.Trap)}}
	g, err := catalog.Catalog{}.With(t.Context(), root, "even_odd", "x.wasm").Lookup("even_odd")
	if err != nil || game.Digest(g) != "" {
		t.Errorf("got %v, %v, want the game of the program, which has no digest", g, err)
	}
}
