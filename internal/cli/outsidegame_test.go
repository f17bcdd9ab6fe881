package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/game/wasm/wasmtest"
	"agentleague/rpc/rpctest"
)

// rootWith returns a root with an additional game, whose rules are a module, and a league of it.
func rootWith(t *testing.T, gameType string, module []byte) string {
	t.Helper()
	root := rootFor(t, gameType)
	file := filepath.Join(root, "config", "games", "games_registry.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var registry map[string]any
	if err := json.Unmarshal(text, &registry); err != nil {
		t.Fatal(err)
	}
	entry := map[string]any{"game_type": gameType, "rules_module": "config/games/" + gameType + ".wasm"}
	registry["games"] = append(registry["games"].([]any), entry)
	if text, err = json.Marshal(registry); err != nil {
		t.Fatal(err)
	}
	saveFile(t, file, text)
	saveFile(t, moduleOf(root, gameType), module)
	return root
}

func moduleOf(root, gameType string) string {
	return filepath.Join(root, "config", "games", gameType+".wasm")
}

func saveFile(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// mustSay runs league to its end, in a separate process if it listens, and checks the status and a sentence of the
// output.
func mustSay(t *testing.T, status int, want string, args ...string) {
	t.Helper()
	var got int
	var said string
	if args[0] == "run" || args[0] == "manager" {
		p := start(t, args...)
		got, said = p.status(), p.out.String()+p.errs.String()
	} else {
		var out, errs bytes.Buffer
		got = run(t.Context(), args, &out, &errs)
		said = out.String() + errs.String()
	}
	if got != status || !strings.Contains(said, want) {
		t.Errorf("league %s: status %d, want %d and %q:\n%s", strings.Join(args, " "), got, status, want, said)
	}
}

// The example of the guide is played by agents over HTTP, and verified by the module that was kept with the league.
func TestGameFromOutsideIsPlayedAndVerified(t *testing.T) {
	t.Parallel()
	root := rootWith(t, "chomp", wasmtest.Build(t, wasmtest.Chomp))
	mustSay(t, 0, "Champion", "run", "--root", root, "--game", "chomp", "--players", "3", "--port", "0",
		"--strategy", "always:19") // so that both move in every match, and sign
	mustSay(t, 0, "3 results proven", "verify", "--root", root)
	mustSay(t, 0, "ate the poisoned square", "replay", "R1M1", "--root", root)
	mustSay(t, 0, "ate the poisoned square", "play", "random", "random", "--game", "chomp", "--root", root)
	mustSay(t, 2, "use one of even_odd", "run", "--root", root, "--game", "chompp")

	kept := filepath.Join(root, "data", "leagues", theLeague, "rules.wasm")
	code, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	saveFile(t, kept, otherwise(code))
	mustSay(t, 1, "these are not the rules of chomp that the league was played by", "verify", "--root", root)
	if err := os.Remove(kept); err != nil {
		t.Fatal(err)
	}
	mustSay(t, 1, "the rules of chomp are missing", "verify", "--root", root)
}

// otherwise is a module that plays the same and is another file: it has a custom section more.
func otherwise(code []byte) []byte { return append(slices.Clone(code), 0, 3, 1, 'x', 0) }

// A module that misbehaves costs its matches and nothing else: the league goes on to its end.
func TestBrokenGameFromOutsideIsContained(t *testing.T) {
	t.Parallel()
	root := rootWith(t, "odd", wasmtest.Broken("odd", wasmtest.Endless))
	mustSay(t, 0, "after 3 matches", "run", "--root", root, "--game", "odd", "--players", "3", "--port", "0")
	mustSay(t, 0, "the rules of the game failed: it ran for more than 10000000 steps", "replay", "R1M1", "--root", root)
	mustSay(t, 0, "3 matches verified", "verify", "--root", root)
}

// A module that is no game is warned of; other games are played all the same.
func TestModuleThatIsNoGameIsNamedWithItsPlace(t *testing.T) {
	t.Parallel()
	root := rootWith(t, "odd", []byte("#!/bin/sh"))
	const why = "the rules of odd cannot be used: config/games/odd.wasm: it is not a WebAssembly module of version 1"
	mustSay(t, 2, "--game: "+why, "run", "--root", root, "--game", "odd")
	mustSay(t, 0, "games_registry.json:1: games[", "config", "--root", root)
	mustSay(t, 0, why+"; the game is not played", "play", "random", "random", "--root", root)
}

// An interrupt ends the program while it compiles a module that takes long, and nothing of that stays behind.
func TestInterruptEndsTheProgramWhileItCompilesAModule(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	root := rootWith(t, "odd", wasmtest.Heavy("odd"))
	began := time.Now()
	p := start(t, "manager", "--root", root, "--port", "0")
	rpctest.Eventually(t, "the compiler's folder", func() bool {
		dirs, _ := filepath.Glob(filepath.Join(temp, "league-game-*"))
		return len(dirs) > 0
	})
	p.signal(os.Interrupt)
	if status, took := p.status(), time.Since(began); status != 1 || took > 2*time.Minute {
		t.Errorf("status %d after %v, want 1 at once", status, took)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("%v is left in the folder for temporary files", left)
	}
}

// A league that has begun is not continued by other rules.
func TestLeagueKeepsTheModuleThatItBeganWith(t *testing.T) {
	t.Parallel()
	code := wasmtest.Broken("odd", wasmtest.Trap)
	root := rootWith(t, "odd", code)
	p := start(t, "manager", "--root", root, "--port", "0")
	p.endpoint()
	p.signal(os.Interrupt)
	p.status()
	saveFile(t, moduleOf(root, "odd"), otherwise(code))
	mustSay(t, 1, "was begun with other rules of odd", "manager", "--root", root, "--port", "0")
	saveFile(t, moduleOf(root, "odd"), code)
	start(t, "manager", "--root", root, "--port", "0").endpoint()
}
