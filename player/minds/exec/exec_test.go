package exec_test

import (
	"context"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/game"
	"agentleague/player"
	"agentleague/player/minds/exec"
	"agentleague/protocol"
)

var parity = game.View{
	Turn: 3, Ask: "choose_parity", Options: []game.Move{game.Move(`"even"`), game.Move(`"odd"`)}, Context: []byte(`{"your_standings":{"wins":2}}`),
}

// heard is the standard error of a program.
type heard struct {
	mu   sync.Mutex
	text strings.Builder
}

func (h *heard) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(b)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// start returns the mind of a command, which is closed with the test.
func start(t *testing.T, command string) (*exec.Mind, *heard) {
	t.Helper()
	if word := strings.Fields(command)[0]; missing(word) {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not installed", word)
		}
		t.Skipf("%s is not installed", word)
	}
	errs := &heard{}
	m, err := exec.New(command, exec.Options{Stderr: errs})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m, errs
}

func missing(program string) bool {
	_, err := osexec.LookPath(program)
	return err != nil
}

// known is a league that answers all queries.
type known struct{}

func (known) Rules(context.Context, string) string { return "Choose even or odd." }
func (known) Table(context.Context) []protocol.Standing {
	return []protocol.Standing{{PlayerID: "P02", DisplayName: "Ada \"the\nAce\"", Points: 7}}
}
func (known) Played(context.Context, string, int) []protocol.PlayerMatch {
	return []protocol.PlayerMatch{{MatchID: "R1M2", OpponentID: "P03", MyChoice: []byte(`"odd"`)}}
}

// asked is the context of a turn in which there is some time left.
func asked(t *testing.T, left time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), left)
	t.Cleanup(cancel)
	return player.WithMatch(ctx, player.Match{LeagueID: "spring", ID: "R2M1", Round: 2, Game: "even_odd", Opponent: "P02", Attempt: 1}, known{})
}

const counting = `
import json, sys
print("ready", file=sys.stderr)
asked = 0
for line in sys.stdin:
    turn = json.loads(line)
    asked += 1
    facts = [turn["game_type"], turn["rules"], turn["league_id"], turn["round_id"], turn["match_id"], turn["turn"], turn["move_type"],
             turn["opponent_id"], turn["opponent_name"], turn["opponent_played"][0]["my_choice"], turn["standings"][0]["points"],
             turn["context"]["your_standings"]["wins"], turn["deadline"].endswith("Z"), 0 < turn["seconds_left"] < 30, turn.get("refused")]
    print(json.dumps(facts), file=sys.stderr)
    print(json.dumps({"move": turn["valid_options"][asked % 2]}), flush=True)
`

// One process answers all turns, so it may keep state. It receives all available facts.
func TestAProgramInPythonPlays(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "my player.py")
	if err := os.WriteFile(path, []byte(counting), 0o600); err != nil {
		t.Fatal(err)
	}
	m, errs := start(t, fmt.Sprintf("python3 %q", path))
	for n, want := range []string{`"odd"`, `"even"`, `"odd"`} {
		if got, err := m.Choose(asked(t, 30*time.Second), parity); err != nil || string(got) != want {
			t.Fatalf("question %d: got %s, %v; want %s", n+1, got, err, want)
		}
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	want := `python3: ["even_odd", "Choose even or odd.", "spring", 2, "R2M1", 3, "choose_parity", "P02", "Ada \"the\nAce\"", "odd", 7, 2, true, true, null]`
	if got := errs.String(); strings.Count(got, "python3: ready\n") != 1 || strings.Count(got, want+"\n") != 3 {
		t.Errorf("it said\n%s\nwant once that it is ready, and three times\n%s", got, want)
	}
	if _, err := m.Choose(asked(t, time.Second), parity); err == nil || !strings.Contains(err.Error(), "is closed") {
		t.Errorf("after its end: got %v", err)
	}
}

// An answer may be the move as JSON, in a member, or in free text; an illegal answer is logged, and the error is sent
// to the program.
func TestAProgramInShellPlays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ script, want, fails string }{
		{`while read -r line; do echo odd; done`, `"odd"`, ""},
		{`while read -r line; do echo; echo '  "even" '; done`, `"even"`, ""},
		{`while read -r line; do echo '{"why":"it is due","move":"odd"}'; done`, `"odd"`, ""},
		{`while read -r line; do echo seven; done`, "", `sh answered "seven", which is no legal move; use one of even, odd`},
		{`while read -r line; do echo '{"move":7}'; done`, "", `sh answered "7", which is no legal move`},
		{`read -r line; exit 3`, "", "sh ended before it answered: exit status 3"},
		{`exit 0`, "", "sh ended before it answered"},
		{`exec 1>&-; sleep 0.1; exit 4`, "", "sh ended before it answered: exit status 4"},
	} {
		t.Run(c.script, func(t *testing.T) {
			t.Parallel()
			m, _ := start(t, "sh -c '"+strings.ReplaceAll(c.script, "'", `'"'"'`)+"'")
			for range 2 { // a program that has died is restarted
				got, err := m.Choose(asked(t, 30*time.Second), parity)
				if string(got) != c.want || c.fails == "" && err != nil || c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) {
					t.Errorf("got %s, %v; want %s%s", got, err, c.want, c.fails)
				}
			}
		})
	}
}

// The reason of a refusal is sent with the repeated turn.
func TestAProgramIsToldWhyItsAnswerWasRefused(t *testing.T) {
	t.Parallel()
	m, _ := start(t, `sh -c 'while read -r line; do case "$line" in *refused*legal*) echo odd;; *) echo seven;; esac; done'`)
	if got, err := m.Choose(asked(t, 30*time.Second), parity); err == nil {
		t.Errorf("got %s, want an error", got)
	}
	if got, err := m.Choose(asked(t, 30*time.Second), parity); err != nil || string(got) != `"odd"` {
		t.Errorf("asked again it played %s, %v; want odd", got, err)
	}
}

// A program that is late is ended before the referee's time is up, and the next question has a new one.
func TestALateProgramFailsInTime(t *testing.T) {
	t.Parallel()
	flag := filepath.Join(t.TempDir(), "was late")
	m, _ := start(t, fmt.Sprintf(`sh -c 'read -r line; if test -e "%s"; then echo even; else : > "%s"; sleep 100; fi'`, flag, flag))
	ctx := asked(t, 2*time.Second)
	if got, err := m.Choose(ctx, parity); err == nil || !strings.Contains(err.Error(), "sh did not answer in time, and was ended") || ctx.Err() != nil {
		t.Errorf("got %s, %v, and its time was up: %v", got, err, ctx.Err())
	}
	if got, err := m.Choose(asked(t, 30*time.Second), parity); err != nil || string(got) != `"even"` {
		t.Errorf("the next question: got %s, %v", got, err)
	}
}

func TestWhatIsNoProgramIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"": "name a program", "no-such-program-here": "the program cannot be started", `sh "-c`: "a quote is not closed",
	} {
		if _, err := exec.New(command, exec.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", command, err, want)
		}
	}
	if m, err := exec.New("sh", exec.Options{}); err != nil || m.Close() != nil {
		t.Errorf("one that was never asked: %v", err)
	}
}
