package memory

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/draw"
	"agentleague/game/gametest"
)

func TestContract(t *testing.T) { gametest.Run(t, Game{}, 2) }

func TestLongContract(t *testing.T) { gametest.Run(t, Game{}, 25) }

func FuzzCheck(f *testing.F) { gametest.Fuzz(f, Game{}) }

// inOrder is a table on which the pairs lie side by side: cells 0 and 1 are A, 2 and 3 are B.
const inOrder = "AABBCCDDEEFFGGHH"

func TestAPairKeepsTheTurnAndOtherCardsDoNot(t *testing.T) {
	s := started(t, inOrder)
	for _, tt := range []struct {
		cell int
		then game.Seat // the seat that moves next
	}{{0, 0}, {1, 0}, {4, 0}, {2, 1}, {4, 1}, {5, 1}, {2, 1}, {8, 0}} {
		turn(t, s, tt.cell)
		if got := s.ToMove(); !reflect.DeepEqual(got, []game.Seat{tt.then}) {
			t.Fatalf("after cell %d: got seats %v to move, want %d", tt.cell, got, tt.then)
		}
	}
	if got := seenBy(t, s, 1).Pairs; !reflect.DeepEqual(got, map[string][]string{"you": {"C"}, "opponent": {"A"}}) {
		t.Errorf("got pairs %v", got)
	}
}

func TestMostPairsWin(t *testing.T) {
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	for _, tt := range []struct {
		cells  []int
		scores []int
		reason string
	}{
		{all, []int{8, 0}, "{0} has 8 pairs, {1} has 0"},
		{slices.Concat([]int{0, 2}, all), []int{0, 8}, "{1} has 8 pairs, {0} has 0"},
		{slices.Concat(all[:8], []int{8, 10}, all[8:]), []int{4, 4}, "both have 4 pairs"},
		{slices.Concat(all[:2], []int{8, 10}, all[2:]), []int{1, 7}, "{1} has 7 pairs, {0} has 1"},
	} {
		s := started(t, inOrder)
		turn(t, s, tt.cells...)
		o, over := s.Outcome()
		if !over || !reflect.DeepEqual(o.Scores, tt.scores) || o.Reason != tt.reason {
			t.Errorf("cells %v: got %+v, over %v, want %v, %s", tt.cells, o, over, tt.scores, tt.reason)
		}
	}
}

func TestPlayersThatFindNothingAreStopped(t *testing.T) {
	s := started(t, inOrder)
	turn(t, s, 0, 1)
	for range maxTurns - 1 {
		turn(t, s, 2, 4)
	}
	if o, over := s.Outcome(); !over || o.Reason != "{0} has 1 pair, {1} has 0 after 32 turns" {
		t.Errorf("got %+v, over %v", o, over)
	}
}

func TestCardsOfTheLastTurnAreShownUntilTheNextOneIsTurned(t *testing.T) {
	s := started(t, inOrder)
	turn(t, s, 0, 1, 2, 5)
	boards(t, s, "AAB? ?C?? ???? ????")
	turn(t, s, 15)
	boards(t, s, "AA?? ???? ???? ???H")
	got, want := seenBy(t, s, 1), Seen{
		Turned: []Turned{{15, "H"}}, Last: map[string][]Turned{"you": {}, "opponent": {{2, "B"}, {5, "C"}}},
		Pairs: map[string][]string{"you": {}, "opponent": {"A"}}, TurnsLeft: 30,
	}
	got.Board = nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A player that sees only its own questions still sees every card: its own second one, and all that the opponent
// turned.
func TestAPlayerSeesEveryCardThatIsTurned(t *testing.T) {
	for seed := range 20 {
		s := dealt(t, draw.New([]byte{byte(seed)}))
		known, turned := [2]map[int]string{{}, {}}, map[int]bool{}
		bot := draw.New([]byte{byte(seed), 1})
		for len(s.ToMove()) > 0 {
			seat := s.ToMove()[0]
			learn(known[seat], seenBy(t, s, seat))
			for cell := range turned {
				if known[seat][cell] != s.table.cards[cell] {
					t.Fatalf("seed %d: seat %d does not know cell %d: %v", seed, seat, cell, known[seat])
				}
			}
			cell := s.free()[draw.Number(bot, len(s.free()))-1]
			turn(t, s, cell)
			turned[cell] = true
		}
	}
}

// learn stores the cards in a view.
func learn(known map[int]string, v Seen) {
	for _, c := range slices.Concat(v.Turned, v.Last["you"], v.Last["opponent"]) {
		known[c.At] = c.Card
	}
	for cell, letter := range slices.Concat(v.Board...) {
		if letter != "?" {
			known[cell] = letter
		}
	}
}

func TestNoViewDependsOnACardThatNobodyHasTurned(t *testing.T) {
	one, other := started(t, inOrder), started(t, "AAHBGCDDFEEFCGBH") // cells 0, 1, 3, 5, 6 and 7 are alike
	for _, cell := range []int{0, 1, 3, 5, 7, 6, 3} {
		turn(t, one, cell)
		turn(t, other, cell)
		for seat := game.Seat(-1); seat < 2; seat++ {
			if a, b := one.View(seat).Text(), other.View(seat).Text(); a != b {
				t.Errorf("after cell %d seat %d sees a difference: %s and %s", cell, seat, a, b)
			}
		}
	}
}

func TestTheEndRevealsTheTable(t *testing.T) {
	s := started(t, inOrder)
	for range maxTurns {
		turn(t, s, 2, 4)
	}
	o, _ := s.Outcome()
	want := [][]string{{"A", "A", "B", "B"}, {"C", "C", "D", "D"}, {"E", "E", "F", "F"}, {"G", "G", "H", "H"}}
	if !reflect.DeepEqual(o.Details["board"], want) {
		t.Errorf("got %v, want %v", o.Details["board"], want)
	}
}

func TestCardsAreShuffledEvenly(t *testing.T) {
	rng, count := draw.New([]byte("even tables")), map[string]int{}
	for range 8000 {
		for cell, letter := range newTable(rng).cards {
			count[letter+strconv.Itoa(cell)]++
		}
	}
	for place, n := range count {
		if n < 850 || n > 1150 || len(count) != 8*cells { // five standard deviations
			t.Errorf("%s came %d times of 8000, want about 1000", place, n)
		}
	}
}

func TestRefusedCellSaysWhatIsWanted(t *testing.T) {
	const number = "use the number of a cell, a whole number from 0 to 15"
	s := started(t, inOrder)
	turn(t, s, 0, 1, 5)
	for move, want := range map[string]string{
		"16": number, "-1": number, "4.0": number, `"4"`: number, "04": number, "+4": number, "null": number, "[4]": number,
		"5": "the card in cell 5 is already turned up; use one of [2 3 4 6 7 8 9 10 11 12 13 14 15]",
		"0": "the card in cell 0 is taken; use one of [2 3 4 6 7 8 9 10 11 12 13 14 15]",
	} {
		if err := s.Check(0, game.Move(move)); err == nil || err.Error() != fmt.Sprintf("seat 0: illegal move %s: %s", move, want) {
			t.Errorf("%s: got %v, want %s", move, err, want)
		}
	}
	if err := s.Check(1, game.Move("4")); err == nil || !strings.HasSuffix(err.Error(), "it is not this seat's turn") {
		t.Errorf("the other seat: got %v", err)
	}
}

// started begins a match on a table with these letters.
func started(t *testing.T, letters string) *state {
	t.Helper()
	s := dealt(t, draw.New(nil))
	s.table.cards = [cells]string(strings.Split(letters, ""))
	return s
}

// dealt begins a match.
func dealt(t *testing.T, rng *rand.Rand) *state {
	t.Helper()
	s, err := Game{}.Start(2, rng)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*state)
}

// turn has the seats turn cards as their turns come.
func turn(t *testing.T, s *state, some ...int) {
	t.Helper()
	for _, cell := range some {
		if err := s.Apply(map[game.Seat]game.Move{s.mover: game.Move(strconv.Itoa(cell))}); err != nil {
			t.Fatal(err)
		}
	}
}

// boards checks that both players see the same cards, written row by row.
func boards(t *testing.T, s *state, want string) {
	t.Helper()
	for seat := game.Seat(-1); seat < 2; seat++ {
		var rows []string
		for _, row := range seenBy(t, s, seat).Board {
			rows = append(rows, strings.Join(row, ""))
		}
		if got := strings.Join(rows, " "); got != want {
			t.Errorf("seat %d sees %s, want %s", seat, got, want)
		}
	}
}

// seenBy reads the context of a seat's view.
func seenBy(t *testing.T, s game.State, seat game.Seat) (v Seen) {
	t.Helper()
	if err := json.Unmarshal(s.View(seat).Context, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
