package kuhnpoker

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/draw"
	"agentleague/game/gametest"
)

func TestContract(t *testing.T) { gametest.Run(t, Game{}, 3) }

func TestLongContract(t *testing.T) { gametest.Run(t, Game{}, 25) }

func FuzzCheck(f *testing.F) { gametest.Fuzz(f, Game{}) }

func TestSeatsBeginHandsInTurn(t *testing.T) {
	s := started(t)
	for hand := range handsPerMatch {
		if got := s.ToMove()[0]; got != game.Seat(hand%2) {
			t.Errorf("hand %d is begun by seat %d", hand+1, got)
		}
		if v := seenBy(t, s, 0); v.Hand != hand+1 || v.Begins != []string{"you", "opponent"}[hand%2] {
			t.Errorf("seat 0 sees hand %d, begun by %s", v.Hand, v.Begins)
		}
		play(t, s, "bet", "fold")
	}
	if o, over := s.Outcome(); !over || o.Reason != "neither is ahead after 12 hands" || !reflect.DeepEqual(o.Scores, []int{0, 0}) {
		t.Errorf("everybody folds when the other begins: got %+v, over %v", o, over)
	}
}

func TestChipsDecideTheMatch(t *testing.T) {
	s := started(t)
	for hand := range handsPerMatch {
		if hand%2 == 0 {
			play(t, s, "bet", "fold")
		} else {
			play(t, s, "check", "bet", "fold")
		}
	}
	want := "{0} is 24 chips ahead after 12 hands"
	if o, over := s.Outcome(); !over || !reflect.DeepEqual(o.Scores, []int{12, -12}) || o.Reason != want {
		t.Errorf("got %+v, over %v; want %s", o, over, want)
	}
}

func TestASeatSeesItsOwnCardAndThoseThatWereShown(t *testing.T) {
	s := started(t)
	s.hands[0].Cards = [2]Card{K, Q}
	play(t, s, "bet", "fold")
	s.hands[1].Cards = [2]Card{J, Q} // begun by seat 1
	play(t, s, "check", "check")
	s.hands[2].Cards = [2]Card{Q, J}
	play(t, s, "check")
	for seat, want := range map[game.Seat]Seen{
		0: {Card: Q, Board: [][]string{{"K +1", "Q +1", "Q check"}, {"? -1", "J -1", "?"}}, Past: []Past{
			{Begins: "you", Cards: map[string]Card{"you": K}}, {Begins: "opponent", Cards: map[string]Card{"you": Q, "opponent": J}},
		}, Begins: "you", Chips: map[string]int{"you": 2, "opponent": -2}, BoardRows: []string{"you", "opponent"}},
		1: {Card: J, Board: [][]string{{"Q -1", "J -1", "J"}, {"? +1", "Q +1", "? check"}}, Past: []Past{
			{Begins: "opponent", Cards: map[string]Card{"you": Q}}, {Begins: "you", Cards: map[string]Card{"you": J, "opponent": Q}},
		}, Begins: "opponent", Chips: map[string]int{"you": -2, "opponent": 2}, BoardRows: []string{"you", "opponent"}},
		-1: {Board: [][]string{{"? +1", "Q +1", "? check"}, {"? -1", "J -1", "?"}}, Past: []Past{
			{Begins: "first", Cards: map[string]Card{}}, {Begins: "second", Cards: map[string]Card{"first": Q, "second": J}},
		}, Begins: "first", Chips: map[string]int{"first": 2, "second": -2}, BoardRows: []string{"first", "second"}},
	} {
		got := seenBy(t, s, seat)
		for i := range got.Board {
			got.Board[i] = got.Board[i][:3]
		}
		for i := range got.Past {
			got.Past[i].Actions, got.Past[i].Chips = nil, nil
		}
		want.Hand, want.Hands, want.Actions, want.Pot, want.BoardColumns = 3, handsPerMatch, []Action{Check}, 2, game.Numbers(handsPerMatch)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("seat %d: got %+v, want %+v", seat, got, want)
		}
	}
}

func TestNoViewDependsOnACardThatIsHiddenFromIt(t *testing.T) {
	for _, tt := range []struct {
		seat  game.Seat
		other [2]Card // in place of K for seat 0, J for seat 1
	}{{0, [2]Card{K, Q}}, {1, [2]Card{Q, J}}, {-1, [2]Card{J, Q}}} {
		var texts [2]string
		for i, cards := range [][2]Card{{K, J}, tt.other} {
			s := started(t)
			s.hands[0].Cards = cards
			play(t, s, "check", "bet")
			texts[i] = s.View(tt.seat).Text()
			play(t, s, "fold")
			s.hands[1].Cards = [2]Card{K, J}
			texts[i] += s.View(tt.seat).Text()
		}
		if texts[0] != texts[1] {
			t.Errorf("seat %d sees a difference: %s and %s", tt.seat, texts[0], texts[1])
		}
	}
}

func TestTheEndRevealsEveryCard(t *testing.T) {
	s := started(t)
	for hand := range handsPerMatch {
		s.hands[hand].Cards = [2]Card{K, J}
		play(t, s, "bet", "fold")
	}
	o, _ := s.Outcome()
	for hand, dealt := range o.Details["cards"].([][]string) {
		want := []string{"K", "J"}
		if hand%2 == 1 {
			want = []string{"J", "K"}
		}
		if !reflect.DeepEqual(dealt, want) {
			t.Errorf("hand %d: got %v, want %v", hand+1, dealt, want)
		}
	}
	if got := o.Details["board"].([][]string)[1][0]; got != "J -1" {
		t.Errorf("the sheet says %q of the second player's first hand, want J -1", got)
	}
}

func TestCardsAreDealtEvenly(t *testing.T) {
	rng, count := draw.New([]byte("even deals")), map[[2]Card]int{}
	for range 6000 {
		count[deal(rng).Cards]++
	}
	for cards, n := range count {
		if n < 850 || n > 1150 { // five standard deviations
			t.Errorf("%v was dealt %d times of 6000, want about 1000", cards, n)
		}
	}
}

func TestRefusedActionSaysWhatIsWanted(t *testing.T) {
	for _, tt := range []struct {
		line, move, want string
		seat             game.Seat
	}{
		{"", `"call"`, `seat 0: illegal move "call": use "check" or "bet"`, 0},
		{"", `"CHECK"`, `seat 0: illegal move "CHECK": use "check" or "bet"`, 0},
		{"bet", `"check"`, `seat 1: illegal move "check": use "call" or "fold"`, 1},
		{"bet", `"call"`, `seat 0: illegal move "call": it is not this seat's turn`, 0},
	} {
		s := started(t)
		play(t, s, strings.Fields(tt.line)...)
		if err := s.Check(tt.seat, game.Move(tt.move)); err == nil || err.Error() != tt.want {
			t.Errorf("after %q: got %v, want %s", tt.line, err, tt.want)
		}
	}
}

// started begins a match.
func started(t *testing.T) *state {
	t.Helper()
	s, err := Game{}.Start(2, draw.New([]byte("poker")))
	if err != nil {
		t.Fatal(err)
	}
	return s.(*state)
}

// play has the seats act in turn.
func play(t *testing.T, s *state, actions ...string) {
	t.Helper()
	for _, a := range actions {
		if err := s.Apply(map[game.Seat]game.Move{s.ToMove()[0]: game.Move(`"` + a + `"`)}); err != nil {
			t.Fatal(err)
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
