package evenodd

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/draw"
	"agentleague/game/gametest"
)

func TestLongContract(t *testing.T) { gametest.Run(t, Game{}, 100) }

func FuzzCheck(f *testing.F) { gametest.Fuzz(f, Game{}) }

func TestInfoIsTheRegistrysEntry(t *testing.T) {
	want := game.Info{
		Type: "even_odd", Name: "Even/Odd", Module: "evenodd",
		Rules:        (Game{}).Info().Rules, // checked by gametest
		MoveTypes:    []string{"choose_parity"},
		ValidChoices: map[string][]string{"choose_parity": {"even", "odd"}},
		MinSeats:     2, MaxSeats: 2, MaxTurns: 1, SeatMatters: false, GuestsMayJudge: true,
	}
	if got := (Game{}).Info(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestChoicesAreEvenAndOddInLowerCase(t *testing.T) {
	tests := []struct{ move, choice string }{
		{`"even"`, "even"},
		{`"odd"`, "odd"},
		{" \"odd\"\n", "odd"},
		{`"\u0065ven"`, "even"},
		{`"Even"`, ""},
		{`"ODD"`, ""},
		{`"even "`, ""},
		{`even`, ""},
		{`2`, ""},
		{`true`, ""},
		{`["even"]`, ""},
		{`{"choice":"even"}`, ""},
		{`"even" "odd"`, ""},
	}
	for _, tt := range tests {
		choice, err := validateChoice(game.Move(tt.move))
		if choice != tt.choice || (err == nil) != (tt.choice != "") {
			t.Errorf("%s: got %q, %v, want %q", tt.move, choice, err, tt.choice)
		}
	}
}

func TestRefusedChoiceSaysWhatIsWanted(t *testing.T) {
	err := start(t, draw.New(nil)).Check(1, game.Move(`"Even"`))
	want := `seat 1: illegal move "Even": use "even" or "odd"`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestChoiceOutOfTurnSaysSo(t *testing.T) {
	s := start(t, draw.New(nil))
	choose(t, s, even, odd)
	if err := s.Check(0, game.Move(`"even"`)); err == nil || !strings.Contains(err.Error(), "not this seat's turn") {
		t.Errorf("got %v, want an error that says whose turn it is not", err)
	}
}

func TestRightGuessWins(t *testing.T) {
	tests := []struct {
		choices [2]string
		number  int
		scores  []int
		reason  string
	}{
		{[2]string{even, odd}, 8, []int{1, 0}, "{0} chose even, number was 8 (even)"},
		{[2]string{even, odd}, 7, []int{0, 1}, "{1} chose odd, number was 7 (odd)"},
		{[2]string{odd, even}, 10, []int{0, 1}, "{1} chose even, number was 10 (even)"},
		{[2]string{odd, even}, 1, []int{1, 0}, "{0} chose odd, number was 1 (odd)"},
		{[2]string{odd, odd}, 4, []int{0, 0}, "both chose odd, number was 4 (even)"},
		{[2]string{odd, odd}, 5, []int{1, 1}, "both chose odd, number was 5 (odd)"},
		{[2]string{even, even}, 2, []int{1, 1}, "both chose even, number was 2 (even)"},
		{[2]string{even, even}, 3, []int{0, 0}, "both chose even, number was 3 (odd)"},
	}
	for _, tt := range tests {
		want := game.Outcome{Scores: tt.scores, Reason: tt.reason, Details: map[string]any{
			"drawn_number":  tt.number,
			"number_parity": []string{"even", "odd"}[tt.number%2],
		}}
		if got := determineWinner(tt.choices, tt.number); !reflect.DeepEqual(got, want) {
			t.Errorf("%q, %d: got %+v, want %+v", tt.choices, tt.number, got, want)
		}
	}
}

func TestEveryNumberFromOneToTenIsDrawn(t *testing.T) {
	rng, seen := draw.New([]byte("key")), map[int]bool{}
	for range 1000 {
		seen[drawNumber(rng)] = true
	}
	for n := 1; n <= 10; n++ {
		if !seen[n] {
			t.Errorf("%d was not drawn in 1000 draws", n)
		}
	}
	if len(seen) != 10 {
		t.Errorf("got numbers %v, want 1 to 10", seen)
	}
}

// counter is a source that counts the words drawn from it.
type counter struct {
	rand.Source
	words int
}

func (c *counter) Uint64() uint64 {
	c.words++
	return c.Source.Uint64()
}

func TestNumberIsDrawnOnlyWhenBothHaveChosen(t *testing.T) {
	src := &counter{Source: draw.Source([]byte("key"))}
	s := start(t, rand.New(src))
	s.View(0)
	if err := s.Apply(map[game.Seat]game.Move{0: game.Move(`"even"`)}); err == nil {
		t.Error("one choice alone is applied, want an error")
	}
	if src.words != 0 {
		t.Errorf("%d words drawn before both have chosen, want 0", src.words)
	}
	choose(t, s, even, odd)
	s.Outcome()
	s.Outcome()
	if src.words != 1 {
		t.Errorf("%d words drawn for a match, want 1", src.words)
	}
}

func TestNumberIsTheDrawOfTheMatchsKey(t *testing.T) {
	key := []byte("some match")
	s := start(t, draw.New(key))
	choose(t, s, odd, odd)
	o, over := s.Outcome()
	if want := draw.Number(draw.New(key), 10); !over || o.Details["drawn_number"] != want {
		t.Errorf("got %v, over %v, want number %d", o.Details, over, want)
	}
}

func TestViewAsksForAParity(t *testing.T) {
	s := start(t, draw.New(nil))
	want := game.View{
		Seat: 1, Ask: "choose_parity", Context: []byte(`{}`),
		Options: []game.Move{game.Move(`"even"`), game.Move(`"odd"`)},
	}
	if got := s.View(1); !reflect.DeepEqual(got, want) {
		t.Errorf("before: got %+v, want %+v", got, want)
	}
	choose(t, s, even, odd)
	if got, want := s.View(1), (game.View{Seat: 1, Turn: 1, Context: []byte(`{}`)}); !reflect.DeepEqual(got, want) {
		t.Errorf("after: got %+v, want %+v", got, want)
	}
}

func start(t *testing.T, rng *rand.Rand) game.State {
	t.Helper()
	s, err := Game{}.Start(2, rng)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func choose(t *testing.T, s game.State, a, b string) {
	t.Helper()
	moves := map[game.Seat]game.Move{0: game.Move(`"` + a + `"`), 1: game.Move(`"` + b + `"`)}
	if err := s.Apply(moves); err != nil {
		t.Fatal(err)
	}
}
