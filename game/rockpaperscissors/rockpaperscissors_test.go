package rockpaperscissors

import (
	"slices"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/gametest"
)

func TestContract(t *testing.T) { gametest.Run(t, Game{}, 12) }

func FuzzCheck(f *testing.F) { gametest.Fuzz(f, Game{}) }

// named are throws by their first letters.
var named = map[byte]throw{'r': rock, 'p': paper, 's': scissors}

// after returns the match after some throws, each two letters: "rp" is rock of seat 0, paper of seat 1.
func after(t *testing.T, throws ...string) *state {
	t.Helper()
	s := &state{}
	for _, both := range throws {
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

func TestEveryThrowBeatsOneAndLosesToOne(t *testing.T) {
	for _, tt := range []struct {
		throws string
		wins   [2]int
	}{
		{"rr", [2]int{0, 0}}, {"rp", [2]int{0, 1}}, {"rs", [2]int{1, 0}},
		{"pr", [2]int{1, 0}}, {"pp", [2]int{0, 0}}, {"ps", [2]int{0, 1}},
		{"sr", [2]int{0, 1}}, {"sp", [2]int{1, 0}}, {"ss", [2]int{0, 0}},
	} {
		if got := after(t, tt.throws).wins(); got != tt.wins {
			t.Errorf("%s: got %v, want %v", tt.throws, got, tt.wins)
		}
	}
}

func TestFiveWinsEndTheMatch(t *testing.T) {
	throws := []string{"rr", "pr", "pr", "pr", "rp", "pr"}
	if _, over := after(t, throws...).Outcome(); over {
		t.Error("four wins end the match, want five")
	}
	o, over := after(t, append(throws, "sp")...).Outcome()
	if !over || !slices.Equal(o.Scores, []int{5, 1}) || o.Reason != "{0} won 5 of 7 throws, {1} 1" {
		t.Errorf("got %+v, over %v", o, over)
	}
}

func TestFifteenThrowsEndTheMatch(t *testing.T) {
	level := slices.Repeat([]string{"rr"}, 13)
	if o, over := after(t, append(level, "rp", "pr")...).Outcome(); !over || !slices.Equal(o.Scores, []int{1, 1}) ||
		o.Reason != "both won 1 of 15 throws" {
		t.Errorf("got %+v, over %v; want a draw", o, over)
	}
	if o, over := after(t, append(level, "rr", "rp")...).Outcome(); !over || !slices.Equal(o.Scores, []int{0, 1}) {
		t.Errorf("got %+v, over %v; want a win of seat 1", o, over)
	}
}

func TestBothSeeAllThrowsFromTheirOwnSide(t *testing.T) {
	s := after(t, "rp", "ss")
	for seat, want := range map[game.Seat]string{
		0:  `"throws":[{"opponent":"paper","you":"rock"},{"opponent":"scissors","you":"scissors"}],"wins":{"opponent":1,"you":0}`,
		1:  `"throws":[{"opponent":"rock","you":"paper"},{"opponent":"scissors","you":"scissors"}],"wins":{"opponent":0,"you":1}`,
		-1: `"throws":[{"first":"rock","second":"paper"},{"first":"scissors","second":"scissors"}],"wins":{"first":0,"second":1}`,
	} {
		if got := string(s.View(seat).Context); !strings.Contains(got, want) {
			t.Errorf("seat %d: got %s, want %s", seat, got, want)
		}
	}
	if got := string(s.View(1).Context); !strings.Contains(got, `"board":[["paper ✓","scissors","",`) || !strings.Contains(got, `["rock ✗","scissors","",`) {
		t.Errorf("got %s, want the sheet with marks at the throws that won and lost", got)
	}
}

func TestOtherSpellingsAreNoThrows(t *testing.T) {
	for _, m := range []string{`"Rock"`, `"ROCK"`, `rock`, `"r"`, `0`, `"rock "`, `["rock"]`} {
		if err := (&state{}).Check(0, game.Move(m)); err == nil || !strings.Contains(err.Error(), `use "rock", "paper" or "scissors"`) {
			t.Errorf("%s: got %v", m, err)
		}
	}
}
