package agentleague_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"agentleague/rpc/rpctest"
)

const gameGuide = "docs/guide/adding-a-game.md"

// blocks returns the content of a document between ``` with the name of that language and the next ```.
func blocks(t *testing.T, file, language string) (out []string) {
	t.Helper()
	for _, found := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```").FindAllStringSubmatch(read(t, file), -1) {
		out = append(out, found[1])
	}
	if len(out) == 0 {
		t.Fatalf("%s has no block of %s", file, language)
	}
	return out
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// guidedGame is the Go code of the guide in its four parts: how a file of rules begins, the rules, an example of a
// match, and the tests.
func guidedGame(t *testing.T) (head, rules, example, tests string) {
	t.Helper()
	code := blocks(t, gameGuide, "go")
	if len(code) < 4 {
		t.Fatalf("%s has %d blocks of Go, want a head, the rules, an example and tests", gameGuide, len(code))
	}
	end := len(code)
	return code[0], strings.Join(code[1:end-2], "\n"), code[end-2], code[end-1]
}

// The game of the guide is the example of package game, word for word and whole.
func TestGuideToAGameQuotesTheExample(t *testing.T) {
	t.Parallel()
	_, rules, example, tests := guidedGame(t)
	_, body, _ := strings.Cut(read(t, "game/example_test.go"), "\n)\n\n") // behind the imports
	if got := rules + "\n" + example; got != body {
		t.Errorf("%s and game/example_test.go differ; the guide has\n%s\nwant\n%s", gameGuide, got, body)
	}
	if !strings.Contains(read(t, "game/contract_test.go"), tests) {
		t.Errorf("game/contract_test.go does not have the tests of %s:\n%s", gameGuide, tests)
	}
}

// A game is added by the steps of the guide, with only its folder and the lines of the catalog, and a league is played
// and verified. The go command gets the new files as an overlay, without a change of the source tree.
func TestLongGameOfTheGuideIsPlayed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	head, rules, _, _ := guidedGame(t)
	write(t, filepath.Join(dir, "laststone.go"), head+"\n"+rules)
	catalog := patched(t, read(t, "game/catalog/catalog.go"), blocks(t, gameGuide, "diff")[0])
	write(t, filepath.Join(dir, "catalog.go"), catalog)
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(here, "game/laststone/laststone.go"): filepath.Join(dir, "laststone.go"),
		filepath.Join(here, "game/catalog/catalog.go"):     filepath.Join(dir, "catalog.go"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "overlay.json"), string(overlay))
	program := filepath.Join(dir, "league")
	run(t, "go", rpctest.Build("-overlay", filepath.Join(dir, "overlay.json"), "-o", program, "./cmd/league")...)
	root := filepath.Join(dir, "SHARED")
	run(t, program, "run", "--game", "last_stone", "--players", "3", "--port", "0", "--root", root)
	if out := run(t, program, "replay", "R1M1", "--root", root); !strings.Contains(out, " took the last stone") {
		t.Errorf("the match ended otherwise:\n%s", out)
	}
	if out := run(t, program, "verify", "--root", root); !strings.Contains(out, "3 results proven") {
		t.Errorf("the results are not proven:\n%s", out)
	}
}

// patched is a text with the lines of a diff that begin with a plus sign put behind the lines before them.
func patched(t *testing.T, text, diff string) string {
	t.Helper()
	before := ""
	for line := range strings.Lines(diff) {
		added, isNew := strings.CutPrefix(line, "+")
		if !isNew {
			before = strings.TrimPrefix(line, " ")
			continue
		}
		if strings.Count(text, before) != 1 {
			t.Fatalf("the line %q is not once in the text", before)
		}
		text = strings.Replace(text, before, before+added, 1)
		before = added
	}
	return text
}

// run runs a program to its end and returns its output.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
