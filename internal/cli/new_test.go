package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/engine/journal"
	"agentleague/game/catalog"
	"agentleague/league"
	"agentleague/rpc/rpctest"
	"agentleague/store"
)

// A runningKit is a kit's process with its address and its output.
type runningKit struct {
	url   string
	ended chan error
	said  *text
	kill  func() // and wait until it is gone
}

// nobody is an address without a manager.
const nobody = "http://127.0.0.1:1/mcp"

// tools are the interpreters and compilers of the kits.
var tools = map[string]string{"go": "go", "python": "python3", "node": "node"}

// need makes sure that a tool is there. On a developer's machine a test may do
// without; where changes are accepted it may not.
func need(t *testing.T, tool string) {
	t.Helper()
	_, err := exec.LookPath(tool)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("%s is not installed: %v", tool, err)
	default:
		t.Skipf("%s is not installed, so what needs it is not tested here", tool)
	}
}

// newKit writes a kit and returns its folder.
func newKit(t *testing.T, lang, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), lang)
	if status := run(t.Context(), []string{"new", "player", dir, "--lang", lang, "--name", name}, io.Discard, t.Output()); status != 0 {
		t.Fatalf("league new player --lang %s: status %d", lang, status)
	}
	return dir
}

// kitCommand is how the kit in dir is run.
func kitCommand(t *testing.T, lang, dir string, args ...string) *exec.Cmd {
	t.Helper()
	argv := map[string][]string{"python": {"python3", "player.py"}, "node": {"node", "player.mjs"}}[lang]
	if lang == "go" {
		argv = []string{builtKit(t, dir)}
	}
	cmd := exec.CommandContext(t.Context(), argv[0], append(argv[1:], args...)...)
	cmd.Dir = dir
	return cmd
}

// startKit runs the kit in dir as its user would, on a free port.
func startKit(t *testing.T, lang, dir, manager string, env ...string) *runningKit {
	t.Helper()
	return startKitAt(t, lang, dir, manager, "0", env...)
}

// startKitAt runs the kit in dir on a port.
func startKitAt(t *testing.T, lang, dir, manager, port string, env ...string) *runningKit {
	t.Helper()
	cmd := kitCommand(t, lang, dir, "--port", port, "--manager", manager)
	k := &runningKit{ended: make(chan error, 1), said: &text{}}
	cmd.Stderr, cmd.Env = io.MultiWriter(t.Output(), k.said), append(os.Environ(), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, quiet := make(chan string, 1), make(chan struct{})
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			fmt.Fprintf(t.Output(), "%s: %s\n", lang, lines.Text())
			fmt.Fprintln(k.said, lines.Text())
			if _, url, ok := strings.Cut(lines.Text(), "listens at "); ok {
				address <- url
			}
		}
		k.ended <- cmd.Wait()
		close(quiet)
	}()
	k.kill = func() { _ = cmd.Process.Kill(); <-quiet }
	t.Cleanup(k.kill)
	select {
	case k.url = <-address:
	case err := <-k.ended:
		t.Fatalf("the %s kit ended before it listened: %v", lang, err)
	case <-time.After(rpctest.Patience):
		t.Fatalf("the %s kit does not listen", lang)
	}
	return k
}

// One player of each language and one of ours play a league under a strict manager: in the game of the assignment for two
// seasons, and in one with turns and a board.
func TestKitsPlayALeagueToItsEnd(t *testing.T) {
	t.Parallel()
	kitsPlay(t, func(game string) bool { return everyday[game] })
}

// In every other game that we have, too.
func TestLongKitsPlayEveryGame(t *testing.T) {
	t.Parallel()
	kitsPlay(t, func(game string) bool { return !everyday[game] })
}

// everyday are the games that represent the others in tests of whole leagues: one with simultaneous choices, and one
// with turns on a board. TestLong tests cover the other games.
var everyday = map[string]bool{"even_odd": true, "tic_tac_toe": true}

// kitsPlay plays a league of each game that is wanted.
func kitsPlay(t *testing.T, wanted func(game string) bool) {
	for _, game := range slices.DeleteFunc(catalog.Types(), func(game string) bool { return !wanted(game) }) {
		t.Run(game, func(t *testing.T) {
			t.Parallel()
			for _, tool := range tools {
				need(t, tool)
			}
			root := patientRoot(t, game)
			if game != "even_odd" {
				playLeague(t, root)
				return
			}
			change(t, root, "league seasons", 2)
			playLeague(t, root)
			playedTwice(t, root)
		})
	}
}

// rootFor creates a root whose league plays a game.
func rootFor(t *testing.T, game string) string {
	t.Helper()
	a := &app{root: t.TempDir(), level: "error"}
	h, err := a.open("")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(a.root, "config", "leagues", h.League.LeagueID+".json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`"game_type": "[^"]*"`).ReplaceAllLiteral(text, []byte(`"game_type": "`+game+`"`))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return a.root
}

func playLeague(t *testing.T, root string) {
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 3)
	start := func(out io.Writer, args ...string) {
		ended <- run(ctx, append(args, "--root", root, "--log-level", "error"), out, t.Output())
	}
	said, out := io.Pipe()
	go start(out, "manager", "--port", "0", "--json", "--strict", "--start-when", "players=4,referees=1")
	var at struct{ Endpoint string }
	if err := json.NewDecoder(said).Decode(&at); err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, said)
	go start(t.Output(), "referee", "--port", "0", "--name", "Referee Alpha", "--manager", at.Endpoint)
	go start(t.Output(), "player", "--port", "0", "--name", "Built in", "--manager", at.Endpoint)
	defer func() {
		stop()
		for range cap(ended) {
			if status := <-ended; status != 0 {
				t.Errorf("an agent ended with status %d", status)
			}
		}
		out.Close()
	}()
	playing, dirs := map[string]*runningKit{}, map[string]string{}
	for lang := range tools {
		dirs[lang] = newKit(t, lang, "Kit in "+lang)
		playing[lang] = startKit(t, lang, dirs[lang], at.Endpoint)
	}
	awaitKits(t, playing)
	for lang := range tools { // a player that returns to a completed league is informed
		playing[lang] = startKit(t, lang, dirs[lang], at.Endpoint)
	}
	awaitKits(t, playing)
	for lang, k := range playing {
		if said := k.said.String(); !strings.Contains(said, "there is nothing left to play") {
			t.Errorf("the %s kit that came back said %q", lang, said)
		}
	}
	var table struct {
		Standings []struct {
			Name      string `json:"display_name"`
			Played    int
			Technical int `json:"technical_losses"`
		}
	}
	var printed bytes.Buffer
	if status := run(t.Context(), []string{"export", "standings", "--json", "--root", root}, &printed, t.Output()); status != 0 {
		t.Fatalf("export standings: status %d", status)
	}
	if err := json.Unmarshal(printed.Bytes(), &table); err != nil {
		t.Fatal(err)
	}
	if len(table.Standings) != 4 {
		t.Errorf("%d players in the table, want 4", len(table.Standings))
	}
	for _, row := range table.Standings {
		if row.Played != 3 || row.Technical != 0 {
			t.Errorf("%s played %d and forfeited %d, want 3 and 0", row.Name, row.Played, row.Technical)
		}
	}
	proven(t, root, nil)
}

// awaitKits waits until kits have ended, each of them well.
func awaitKits(t *testing.T, playing map[string]*runningKit) {
	t.Helper()
	for lang, k := range playing {
		select {
		case err := <-k.ended:
			if err != nil {
				t.Errorf("the %s kit ended with %v, want it to end well", lang, err)
			}
		case <-time.After(rpctest.Patience):
			t.Fatalf("the %s kit does not end with the league", lang)
		}
	}
}

// playedTwice holds the second season of four players against its log.
func playedTwice(t *testing.T, root string) {
	t.Helper()
	h, err := (&app{root: root, level: "error", err: t.Output()}).open("")
	if err != nil {
		t.Fatal(err)
	}
	all, err := store.Seasons(h.Root, theLeague, store.ReadSeason(h.Root))
	if err != nil || all.Played() != 2 || len(all.Totals) != 4 {
		t.Fatalf("got %+v, %v, want two seasons of the same four players", all, err)
	}
	for _, row := range all.Totals {
		if row.Seasons != 2 || row.Played != 6 || row.TechnicalLosses != 0 {
			t.Errorf("got %+v, want six matches in two seasons", row)
		}
	}
	var printed bytes.Buffer
	args := []string{"verify", "--root", root, "--league-id", all.Seasons[1].LeagueID}
	if status := run(t.Context(), args, &printed, t.Output()); status != 0 {
		t.Errorf("verify: status %d\n%s", status, printed.String())
	}
}

// proven checks that all results of a root's league are proven by signatures, except for the excused ones, and that the
// records contain no difference.
func proven(t *testing.T, root string, excused func(*league.Match) bool) {
	t.Helper()
	s := logOf(t, root)
	if !s.Completed() || s.Recorded == 0 {
		t.Errorf("the league has %d results and is not over", s.Recorded)
	}
	for id, m := range s.Matches {
		if m.Proof != league.Proven && (excused == nil || !excused(m)) {
			t.Errorf("%s is %s, want it proven: %+v", id, m.Proof, m.Outcome)
		}
	}
	var printed bytes.Buffer
	if status := run(t.Context(), []string{"verify", "--root", root}, &printed, t.Output()); status != 0 {
		t.Errorf("verify: status %d\n%s", status, printed.String())
	}
}

// logOf returns the state of a root's league from its journal.
func logOf(t *testing.T, root string) *league.State {
	t.Helper()
	s, err := league.Fold(store.Entries(journal.Path(filepath.Join(root, "data"), theLeague)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Any text is accepted as the player's name, and used only as its name.
func TestKitsTakeAnyName(t *testing.T) {
	t.Parallel()
	odd := "O'Neill \"Ö\" \\ ${x} %s `y` \u2028\U0001f3b2 </b>"
	for lang, tool := range tools {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			need(t, tool)
			k := startKit(t, lang, newKit(t, lang, odd), nobody)
			got := k.ask(t, example(t, "game-flow/get_player_state.json", nil))
			if name := asObject(got["result"])["display_name"]; name != odd {
				t.Errorf("display_name = %q, want %q", name, odd)
			}
		})
	}
}
