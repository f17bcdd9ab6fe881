package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// chooses finds the function that a student changes.
var chooses = map[string]struct {
	file string
	code *regexp.Regexp
}{
	"go":     {"player.go", regexp.MustCompile(`(?ms)^func choose\(.*?^}\n`)},
	"python": {"player.py", regexp.MustCompile(`(?ms)^def choose\(.*?^\n`)},
	"node":   {"player.mjs", regexp.MustCompile(`(?ms)^export function choose\(.*?^}\n`)},
}

// withChoose puts another choose into a kit.
func withChoose(t *testing.T, lang, dir, code string) {
	t.Helper()
	c := chooses[lang]
	file := filepath.Join(dir, c.file)
	text, err := os.ReadFile(file)
	if err != nil || len(c.code.FindAll(text, -1)) != 1 {
		t.Fatalf("%s: want one choose in it (%v)", file, err)
	}
	text = c.code.ReplaceAllLiteral(text, []byte(code+"\n"))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// block returns the code in a section of a kit's README.
func block(t *testing.T, dir, section string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "\n"+section+"\n")
	_, rest, _ = strings.Cut(rest, "\n    ")
	if !ok || rest == "" {
		t.Fatalf("README.md has no code under %q", section)
	}
	var code strings.Builder
	for line := range strings.Lines("    " + rest) {
		inside, indented := strings.CutPrefix(line, "    ")
		if !indented && strings.TrimSpace(line) != "" {
			break
		}
		code.WriteString(strings.TrimRight(inside, "\n") + "\n")
	}
	return code.String()
}

// The code in the READMEs for students works unchanged.
func TestKitExamplesWork(t *testing.T) {
	t.Parallel()
	for lang, tool := range tools {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			need(t, tool)
			dir := newKit(t, lang, "Kit")
			test := exec.CommandContext(t.Context(), "sh", "-ec", block(t, dir, "## Test it"))
			test.Dir = dir
			if out, err := test.CombinedOutput(); err != nil || !regexp.MustCompile(`(?m)^(even|odd|PASS)$`).Match(out) {
				t.Errorf("the test in README.md: %v\n%s", err, out)
			}
			withChoose(t, lang, dir, block(t, dir, "## Change it"))
			k := startKit(t, lang, dir, nobody)
			k.answers(t, example(t, "game-flow/game_start.json", nil), protocol.TypeGameJoinAck)
			k.answers(t, example(t, "game-flow/game_over.json", nil), protocol.TypeGameOverAck)
			k.answers(t, example(t, "game-flow/game_start.json", nil), protocol.TypeGameJoinAck)
			got := k.answers(t, example(t, "game-flow/move_request.json", nil), protocol.TypeChooseParityResponse)
			if got["parity_choice"] != "even" {
				t.Errorf("after the number 1 it says %v, want even", got["parity_choice"])
			}
		})
	}
}

// A strategy that fails, or returns an invalid option, costs no match.
func TestKitsPlayTheFirstOptionInstead(t *testing.T) {
	t.Parallel()
	for name, codes := range map[string]map[string]string{
		"no option": {
			"go":     "func choose(options []any, context message, history []message) any { _ = rand.IntN; return \"banana\" }\n",
			"python": "def choose(options, context, history):\n    return \"banana\"\n",
			"node":   "export function choose() { return 'banana'; }\n",
		},
		"failure": {
			"go":     "func choose(options []any, context message, history []message) any { _ = rand.IntN; panic(\"oops\") }\n",
			"python": "def choose(options, context, history):\n    raise ValueError(\"oops\")\n",
			"node":   "export async function choose() { throw new Error('oops'); }\n",
		},
	} {
		for lang, tool := range tools {
			t.Run(name+" in "+lang, func(t *testing.T) {
				t.Parallel()
				need(t, tool)
				dir := newKit(t, lang, "Kit")
				withChoose(t, lang, dir, codes[lang])
				k := startKit(t, lang, dir, nobody)
				k.answers(t, example(t, "game-flow/game_start.json", nil), protocol.TypeGameJoinAck)
				got := k.answers(t, example(t, "game-flow/move_request.json", nil), protocol.TypeChooseParityResponse)
				if got["parity_choice"] != "even" {
					t.Errorf("it says %v, want even", got["parity_choice"])
				}
			})
		}
	}
}

// A kit prints the description and the suggestion of a referee's error.
func TestKitsPrintWhatAnErrorSays(t *testing.T) {
	eachKit(t, func(t *testing.T, lang, dir string) {
		k := startKit(t, lang, dir, nobody)
		k.ask(t, example(t, "errors/timeout_error.json", nil))
		const want = "R1M1: E001 no CHOOSE_PARITY_RESPONSE within 30 seconds. What to do: Answer before the deadline in the message"
		const waits = "Waiting for the manager at " + nobody
		rpctest.Eventually(t, "the error and the wait", func() bool {
			said := k.said.String()
			return strings.Contains(said, want) && strings.Contains(said, waits)
		})
		if said := k.said.String(); strings.Count(said, waits) != 1 {
			t.Errorf("it prints %q, want once that it waits", said)
		}
	})
}
