package format

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"agentleague/rpc/rpctest"
)

// oracles has programs that solve the same tasks.
const oracles = "oracles"

// sample returns few, or with LEAGUE_LONG=1 all.
func sample(few, all int) int {
	if os.Getenv("LEAGUE_LONG") != "" {
		return all
	}
	return few
}

// An oracle is a process that answers each line with a line.
type oracle struct {
	in  io.Writer
	out *bufio.Scanner
}

// start starts a program of the folder oracles.
func start(t *testing.T, env string, command ...string) *oracle {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Stderr, cmd.Env = oracles, os.Stderr, append(os.Environ(), env)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<24)
	return &oracle{in, lines}
}

// ask sends a task and decodes the answer.
func (o *oracle) ask(t *testing.T, task, answer any) {
	t.Helper()
	line, err := json.Marshal(task)
	if err == nil {
		_, err = fmt.Fprintf(o.in, "%s\n", line)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !o.out.Scan() {
		t.Fatalf("no answer: %v", o.out.Err())
	}
	if err := json.Unmarshal(o.out.Bytes(), answer); err != nil {
		t.Fatalf("%v: %s", err, o.out.Bytes())
	}
}

// networkx starts the program that finds matchings.
func networkx(t *testing.T) *oracle {
	t.Helper()
	dir, err := rpctest.PythonPackages(filepath.Join(oracles, "requirements.txt"))
	return start(t, "PYTHONPATH="+filepath.Join(rpctest.OrWithout(t, dir, err), "packages"), "python3", "matching.py")
}

// pairings starts the programs that pair tournaments.
func pairings(t *testing.T) *oracle {
	t.Helper()
	return start(t, "", "node", "pairings.mjs", rpctest.Packages(t, oracles))
}

func TestMatchingsCostAsLittleAsThoseOfNetworkX(t *testing.T) {
	t.Parallel()
	other := networkx(t)
	rng := rand.New(rand.NewPCG(3, 3))
	for run := range sample(60, 2000) {
		n := 2 + 2*rng.IntN(16)
		c := randomCosts(rng, n, []int64{3, 20, 1000, 1 << 40}[run%4])
		var want int64
		other.ask(t, c, &want)
		if got := c.of(t, match(n, c.at)); got != want {
			t.Fatalf("run %d, %d vertices: cost %d, want %d", run, n, got, want)
		}
	}
}

// Sizes up to 144 players, in a round of a simulated league.
func TestSwissRoundsAreAsGoodAsExactMatching(t *testing.T) {
	t.Parallel()
	other := networkx(t)
	rng := rand.New(rand.NewPCG(4, 4))
	for run := range sample(16, 400) {
		n := 3 + rng.IntN(30)
		if run%8 == 7 {
			n = 60 + rng.IntN(85)
		}
		s := newSeason(n, 1+rng.IntN(12), uint64(run))
		for s.field.Round < s.settings.Rounds {
			next, _ := swiss{}.Next(s.settings, s.field)
			s.play(next)
		}
		r := newSwissRound(newHistory(s.settings, s.field))
		pairs, byes := r.pairs()
		all := slices.Clone(r.order)
		if len(all)%2 == 1 {
			all = append(all, nobody)
		}
		var want int64
		other.ask(t, r.matrix(all), &want)
		if got := r.sum(pairs, byes); got != want {
			t.Fatalf("run %d, %d players, round %d: cost %d, want %d", run, n, s.field.Round, got, want)
		}
	}
}

// matrix returns the costs of pairing players.
func (r *swissRound) matrix(players []int) costs {
	c := make(costs, len(players))
	for i := range c {
		c[i] = make([]int64, len(players))
		for j := range i {
			c[i][j] = r.cost(players[j], players[i])
			c[j][i] = c[i][j]
		}
	}
	return c
}

// sum returns the costs of a round.
func (r *swissRound) sum(pairs []pair, byes []int) (sum int64) {
	for _, p := range pairs {
		if slices.Index(r.order, p[0]) > slices.Index(r.order, p[1]) {
			p[0], p[1] = p[1], p[0]
		}
		sum += r.cost(p[0], p[1])
	}
	for _, i := range byes {
		sum += r.cost(i, nobody)
	}
	return sum
}

// A swissPlayer is a player as tournament-pairings reads it.
type swissPlayer struct {
	ID          int   `json:"id"`
	Score       int   `json:"score"`
	ReceivedBye bool  `json:"receivedBye"`
	Avoid       []int `json:"avoid"`
}

func TestSwissRoundsAreNotWorseThanThoseOfTournamentPairings(t *testing.T) {
	t.Parallel()
	other := pairings(t)
	for run := range sample(10, 300) {
		n := 8 + run%33
		s := newSeason(n, 7, uint64(run))
		for s.field.Round <= min(7, n/2-1) { // the other program has no rematches, and fails where they are needed
			h := newHistory(s.settings, s.field)
			r := newSwissRound(h)
			var players []swissPlayer
			for i, p := range h.players {
				q := swissPlayer{ID: i, Score: p.Points, ReceivedBye: h.byes[i] > 0, Avoid: []int{}}
				for _, m := range h.met[i] {
					if m.with != nobody {
						q.Avoid = append(q.Avoid, m.with)
					}
				}
				players = append(players, q)
			}
			var theirs [][2]*int
			other.ask(t, map[string]any{"players": players, "round": s.field.Round}, &theirs)
			if got, bound := r.sum(r.pairs()), r.sum(ofOther(theirs)); got > bound {
				t.Fatalf("run %d, round %d: cost %d, theirs %d", run, s.field.Round, got, bound)
			}
			next, _ := swiss{}.Next(s.settings, s.field)
			s.play(next)
		}
	}
}

// ofOther returns pairs and byes of pairs whose second player may be null.
func ofOther(all [][2]*int) (pairs []pair, byes []int) {
	for _, p := range all {
		if p[1] == nil {
			byes = append(byes, *p[0])
		} else {
			pairs = append(pairs, pair{*p[0], *p[1]})
		}
	}
	return pairs, byes
}

// A knockoutTask is a knockout of n seeds with determined winners.
type knockoutTask struct {
	N     int  `json:"n"`
	Seed  int  `json:"seed"`
	Third bool `json:"third"`
}

// winner returns the place of the winner of a pair of seeds, as in pairings.mjs.
func (k knockoutTask) winner(a, b int) int {
	if (min(a, b)*31+max(a, b)*17+k.Seed*13)%7 < 4 {
		return min(a, b)
	}
	return max(a, b)
}

// play plays the knockout and returns its pairs, the better seed first.
func (k knockoutTask) play() (pairs, third []pair) {
	s := Settings{Format: "knockout/1", Knockout: Knockout{ThirdPlace: k.Third}}
	f := Field{Round: 1}
	seeds := map[string]int{}
	for i := range k.N {
		id := fmt.Sprintf("P%02d", i+1)
		seeds[id] = i + 1
		f.Players = append(f.Players, Player{ID: id, Seed: i + 1})
	}
	for {
		r, more := knockout{}.Next(s, f)
		if !more {
			return pairs, third
		}
		for i, reason := range (knockout{}).Explain(s, f, r)[:len(r.Pairs)] {
			p := r.Pairs[i]
			a, b := seeds[p.A], seeds[p.B]
			if reason.Why == ThirdPlace {
				third = append(third, pair{min(a, b), max(a, b)})
			} else {
				pairs = append(pairs, pair{min(a, b), max(a, b)})
			}
			f.Results = append(f.Results, Played{Round: f.Round, A: p.A, B: p.B, Winner: fmt.Sprintf("P%02d", k.winner(a, b))})
		}
		f.Round++
	}
}

func TestKnockoutsAreThoseOfOtherPrograms(t *testing.T) {
	t.Parallel()
	other := pairings(t)
	for run := range sample(40, 400) {
		k := knockoutTask{N: 2 + run%199, Seed: run * 7}
		k.Third = run%2 == 0 && k.N > 3
		var theirs [2][]pair // without a match for the third place, and with one
		other.ask(t, k, &theirs)
		pairs, third := k.play()
		for i, got := range [2][]pair{pairs, append(slices.Clone(pairs), third...)} {
			if want := theirs[i]; !slices.Equal(inOrder(got), inOrder(want)) {
				t.Fatalf("%+v: program %d has %v, we %v", k, i, want, got)
			}
		}
	}
}

// inOrder sorts pairs.
func inOrder(pairs []pair) []pair {
	slices.SortFunc(pairs, func(a, b pair) int { return slices.Compare(a[:], b[:]) })
	return pairs
}
