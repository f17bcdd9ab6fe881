package prisonersdilemma

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/draw"
	"agentleague/game/gametest"
)

func TestContract(t *testing.T) { gametest.Run(t, Game{}, 4) }

func FuzzCheck(f *testing.F) { gametest.Fuzz(f, Game{}) }

// named are actions by their first letters.
var named = map[byte]Action{'c': Cooperate, 'd': Defect}

// after returns a match of that many steps after the past ones, each two letters: in "cd" seat 0 cooperates and seat 1
// defects.
func after(t *testing.T, steps int, past ...string) *state {
	t.Helper()
	s := &state{steps: steps}
	for _, both := range past {
		moves := map[game.Seat]game.Move{}
		for seat := range game.Seat(2) {
			moves[seat] = game.Move(`"` + named[both[seat]] + `"`)
		}
		if err := s.Apply(moves); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestPayoffsAreADilemma(t *testing.T) {
	temptation, reward := payoff(Defect, Cooperate), payoff(Cooperate, Cooperate)
	punishment, sucker := payoff(Defect, Defect), payoff(Cooperate, Defect)
	if got := []int{temptation, reward, punishment, sucker}; !slices.Equal(got, []int{5, 3, 1, 0}) {
		t.Errorf("got %v, want 5, 3, 1, 0", got)
	}
	if 2*reward <= temptation+sucker {
		t.Error("to take turns pays as much as to cooperate")
	}
}

func TestTheHigherTotalWins(t *testing.T) {
	o, over := after(t, 4, "cc", "cd", "dd", "cc").Outcome()
	if !over || !slices.Equal(o.Scores, []int{7, 12}) || o.Reason != "{1} scored 12 in 4 steps, {0} 7" ||
		fmt.Sprint(o.Details["payoffs"]) != "[[3 3] [0 5] [1 1] [3 3]]" || o.Details["steps"] != 4 {
		t.Errorf("got %+v, over %v", o, over)
	}
	if o, _ := after(t, 2, "cd", "dc").Outcome(); !slices.Equal(o.Scores, []int{5, 5}) || o.Reason != "both scored 5 in 2 steps" {
		t.Errorf("got %+v, want a draw", o)
	}
}

func TestEveryLengthIsDrawnAboutAsOften(t *testing.T) {
	const matches = 21 * 400
	seen := map[int]int{}
	for n := range matches {
		s, err := Game{}.Start(2, draw.New([]byte(fmt.Sprint("length ", n))))
		if err != nil {
			t.Fatal(err)
		}
		seen[s.(*state).steps]++
	}
	for steps := minSteps; steps <= maxSteps; steps++ {
		if n := seen[steps]; n < 300 || n > 500 { // 5 standard deviations
			t.Errorf("%d steps came up %d times of %d, want about 400", steps, n, matches)
		}
		delete(seen, steps)
	}
	if len(seen) > 0 {
		t.Errorf("other lengths came up: %v", seen)
	}
}

// Two matches that differ in nothing but their length look the same until the shorter one is over.
func TestNobodySeesHowLongTheMatchIs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	short, long := after(t, minSteps), after(t, maxSteps)
	for range minSteps {
		for seat := game.Seat(-1); seat < 2; seat++ {
			if a, b := short.View(seat).Text(), long.View(seat).Text(); a != b {
				t.Fatalf("seat %d sees %s in a short match and %s in a long one", seat, a, b)
			}
		}
		moves := map[game.Seat]game.Move{}
		for seat := range game.Seat(2) {
			moves[seat] = game.Move(`"` + allActions[rng.IntN(2)] + `"`)
		}
		if err := short.Apply(moves); err != nil {
			t.Fatal(err)
		}
		if err := long.Apply(moves); err != nil {
			t.Fatal(err)
		}
	}
	if len(short.ToMove()) != 0 || len(long.ToMove()) != 2 {
		t.Error("the short match goes on, or the long one is over")
	}
}

func TestBothSeeAllStepsFromTheirOwnSide(t *testing.T) {
	s := after(t, minSteps, "cd", "cc")
	for seat, want := range map[game.Seat]string{
		0: `{"past":[{"opponent":"defect","you":"cooperate"},{"opponent":"cooperate","you":"cooperate"}],"totals":{"opponent":8,"you":3},` +
			`"board":[["C","C",""],["D","C",""]],"board_rows":["you","opponent"],"board_columns":["1","2","3"]}`,
		1: `{"past":[{"opponent":"cooperate","you":"defect"},{"opponent":"cooperate","you":"cooperate"}],"totals":{"opponent":3,"you":8},` +
			`"board":[["D","C",""],["C","C",""]],"board_rows":["you","opponent"],"board_columns":["1","2","3"]}`,
		-1: `{"past":[{"first":"cooperate","second":"defect"},{"first":"cooperate","second":"cooperate"}],"totals":{"first":3,"second":8},` +
			`"board":[["C","C",""],["D","C",""]],"board_rows":["first","second"],"board_columns":["1","2","3"]}`,
	} {
		if got := string(s.View(seat).Context); got != want {
			t.Errorf("seat %d: got %s, want %s", seat, got, want)
		}
	}
}

func TestOtherSpellingsAreNoActions(t *testing.T) {
	for _, m := range []string{`"Cooperate"`, `"C"`, `cooperate`, `true`, `"defect "`, `["defect"]`} {
		err := after(t, minSteps).Check(0, game.Move(m))
		if err == nil || !strings.Contains(err.Error(), `use "cooperate" or "defect"`) {
			t.Errorf("%s: got %v", m, err)
		}
	}
}
