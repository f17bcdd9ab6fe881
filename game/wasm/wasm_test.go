package wasm_test

import (
	"testing"

	"agentleague/game/gametest"
	"agentleague/game/wasm"
	"agentleague/game/wasm/wasmtest"
)

const dice = "game/wasm/testdata/dice.ts"

// built returns the game of a source.
func built(t testing.TB, source string) *wasm.Game {
	t.Helper()
	g, err := wasm.New(t.Context(), "config/games/built.wasm", wasmtest.Build(t, source))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestModulesKeepTheContractOfGames(t *testing.T) {
	for _, source := range []string{wasmtest.Chomp, dice} {
		t.Run(source, func(t *testing.T) { gametest.Run(t, built(t, source), 10) })
	}
}

func FuzzCheck(f *testing.F) { gametest.Fuzz(f, built(f, wasmtest.Chomp)) }
