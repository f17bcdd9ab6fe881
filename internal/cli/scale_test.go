package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentleague/host"
	"agentleague/store"
)

// A summary is the output of `league run --json`.
type summary struct {
	Status          string
	LeagueID        string `json:"league_id"`
	Rounds, Matches int
	TechnicalLosses int `json:"technical_losses"`
	Root            string
	Standings       []struct {
		PlayerID                            string `json:"player_id"`
		Played, Wins, Draws, Losses, Points int
	}
}

// runs plays a league in a separate process and returns its output.
func runs(t *testing.T, args ...string) summary {
	t.Helper()
	root := filepath.Join(t.TempDir(), "SHARED")
	cmd := exec.CommandContext(t.Context(), "league", append([]string{"run", "--json", "--port", "0", "--root", root}, args...)...) // see TestMain
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("league run %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	var s summary
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		t.Fatalf("%v in %s", err, out.String())
	}
	s.Root = root
	return s
}

// holds checks that a league of n players was played to its end: every match
// counted and on file, and a table that adds up.
func (s summary) holds(t *testing.T, n, rounds int) {
	t.Helper()
	perRound := n / 2
	if s.Status != "COMPLETED" || s.Rounds != rounds || s.Matches != rounds*perRound || len(s.Standings) != n || s.TechnicalLosses != 0 {
		t.Errorf("got %s, %d rounds, %d matches, %d rows, %d technical losses; want COMPLETED, %d, %d, %d, 0",
			s.Status, s.Rounds, s.Matches, len(s.Standings), s.TechnicalLosses, rounds, rounds*perRound, n)
	}
	played, wins, draws, losses, points := 0, 0, 0, 0, 0
	for _, r := range s.Standings {
		if r.Played != r.Wins+r.Draws+r.Losses || r.Points != 3*r.Wins+r.Draws {
			t.Errorf("the row %+v does not add up", r)
		}
		played, wins, draws, losses, points = played+r.Played, wins+r.Wins, draws+r.Draws, losses+r.Losses, points+r.Points
	}
	if played != 2*s.Matches || wins != losses || wins+draws/2 != s.Matches || points != 3*wins+draws {
		t.Errorf("%d matches: the table says %d played, %d won, %d drawn, %d lost, %d points", s.Matches, played, wins, draws, losses, points)
	}
	kept, err := fs.Glob(store.ShowRecords(os.DirFS(s.Root)), "data/matches/"+s.LeagueID+"/R*M*.json")
	if err != nil || len(kept) != s.Matches {
		t.Errorf("got %d records on file (%v), want %d", len(kept), err, s.Matches)
	}
	for u, err := range unreported(t, s.Root) {
		t.Errorf("%v was not reported (%v)", u.Ref, err)
	}
}

// unreported yields the results that the referees of a root have not reported.
func unreported(t *testing.T, dir string) iter.Seq2[store.Unreported, error] {
	t.Helper()
	root, err := store.Open(dir, host.Games())
	if err != nil {
		t.Fatal(err)
	}
	referees, err := os.ReadDir(filepath.Join(dir, "data/referees"))
	if err != nil || len(referees) == 0 {
		t.Fatalf("no referees: %v", err)
	}
	return func(yield func(store.Unreported, error) bool) {
		for _, r := range referees {
			records, err := root.Records(r.Name())
			if err != nil {
				t.Fatal(err)
			}
			for u, err := range records.Unreported() {
				if !yield(u, err) {
					return
				}
			}
		}
	}
}

// allRounds is how many rounds n players need to meet each other once.
func allRounds(n int) int { return n - 1 + n%2 }

func TestLongLeaguesOfEverySizeComeToTheirEnd(t *testing.T) {
	for _, n := range []int{2, 3, 5, 8, 25} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			runs(t, "--players", fmt.Sprint(n)).holds(t, n, allRounds(n))
		})
	}
}

// All 99 rounds are played by hand (LEAGUE_LONG=1): under the race detector
// they take longer than a test may.
func TestLongLeagueOfAHundred(t *testing.T) {
	rounds, args := 4, []string{"--players", "100", "--rounds", "4"}
	if os.Getenv("LEAGUE_LONG") != "" {
		rounds, args = 99, []string{"--players", "100"}
	}
	runs(t, args...).holds(t, 100, rounds)
}

// More players than maxPorts share a port, each with its own path.
func TestLongLeagueOfThreeHundredSharesAPort(t *testing.T) {
	s := runs(t, "--players", "300", "--rounds", "1")
	s.holds(t, 300, 1)
	text, err := os.ReadFile(filepath.Join(s.Root, "data/leagues", s.LeagueID, "agents.json"))
	if err != nil {
		t.Fatal(err)
	}
	var agents struct {
		LeagueManager struct{ Endpoint string } `json:"league_manager"`
		Players       []struct {
			ID       string `json:"player_id"`
			Endpoint string `json:"default_endpoint"`
		}
	}
	if err := json.Unmarshal(text, &agents); err != nil {
		t.Fatal(err)
	}
	base := strings.TrimSuffix(agents.LeagueManager.Endpoint, "/mcp")
	for _, p := range agents.Players {
		if want := base + "/p/" + p.ID + "/mcp"; p.Endpoint != want {
			t.Fatalf("%s is at %s, want %s", p.ID, p.Endpoint, want)
		}
	}
	if len(agents.Players) != 300 {
		t.Errorf("got %d players, want 300", len(agents.Players))
	}
}

func TestTwoLeaguesOnTwoRootsAtTheSameTime(t *testing.T) {
	for _, name := range []string{"one", "other"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs(t, "--players", "6").holds(t, 6, 5)
		})
	}
}
