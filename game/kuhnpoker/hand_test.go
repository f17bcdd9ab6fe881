package kuhnpoker

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestEveryWayToPlayAHandPaysAsKuhnSays(t *testing.T) {
	tests := []struct {
		line   string
		high   int // player 0's payoff with the higher card
		low    int // and with the lower one
		pot    int
		reveal bool
	}{
		{"check check", 1, -1, 2, true},
		{"bet call", 2, -2, 4, true},
		{"check bet call", 2, -2, 4, true},
		{"bet fold", 1, 1, 3, false},
		{"check bet fold", -1, -1, 3, false},
	}
	for _, tt := range tests {
		for _, deal := range Deals() {
			h := after(t, deal, strings.Fields(tt.line)...)
			want := tt.low
			if deal.Cards[0].Beats(deal.Cards[1]) {
				want = tt.high
			}
			if !h.Over() || h.Legal() != nil || h.Payoff() != want || h.Pot() != tt.pot || h.Shown() != tt.reveal {
				t.Errorf("%v, %s: over %v, pays %d with a pot of %d, shown %v; want %+v", deal.Cards, tt.line, h.Over(), h.Payoff(),
					h.Pot(), h.Shown(), tt)
			}
		}
	}
}

func TestAHandAllowsTwoActionsUntilItIsOver(t *testing.T) {
	for line, want := range map[string][]Action{
		"": {Check, Bet}, "check": {Check, Bet}, "bet": {Call, Fold}, "check bet": {Call, Fold},
	} {
		h := after(t, Deals()[0], strings.Fields(line)...)
		if got := h.Legal(); !slices.Equal(got, want) || h.Over() || h.Player() != len(strings.Fields(line))%2 {
			t.Errorf("after %q: player %d may %v, over %v; want %v", line, h.Player(), got, h.Over(), want)
		}
		for _, a := range []Action{Check, Bet, Call, Fold, "", "raise"} {
			if _, err := h.Play(a); (err == nil) != slices.Contains(want, a) {
				t.Errorf("after %q: %s: %v", line, a, err)
			}
		}
	}
	over := after(t, Deals()[0], "bet", "fold")
	if _, err := over.Play(Check); err == nil || err.Error() != "the hand is over" {
		t.Errorf("an action after the end: %v", err)
	}
}

func TestPlayingAHandLeavesTheOneBeforeAsItWas(t *testing.T) {
	h := after(t, Deals()[0], "check")
	checked := after(t, h, "check")
	bet := after(t, h, "bet")
	if !checked.Over() || bet.Over() || len(h.Actions) != 1 {
		t.Errorf("got %v, %v and %v: they share their actions", h, checked, bet)
	}
}

func TestThereAreSixDealsOfTwoDifferentCards(t *testing.T) {
	seen := map[[2]Card]bool{}
	for _, h := range Deals() {
		if h.Cards[0] == h.Cards[1] {
			t.Errorf("one card is dealt twice: %v", h.Cards)
		}
		seen[h.Cards] = true
	}
	if len(seen) != 6 {
		t.Errorf("got %d deals, want 6", len(seen))
	}
}

// The known equilibria: with J player 0 bets one time in three of those with K, checks Q and calls with it a third
// more often than it bluffs, and player 1 bluffs with J and calls with Q one time in three.
func TestEquilibriumPaysTheFirstPlayerMinusAnEighteenth(t *testing.T) {
	for _, bluff := range []float64{0, 0.1, 1.0 / 3} {
		boldly := func(h Hand) float64 { // how often the player to act bets or calls
			card := h.Cards[h.Player()]
			switch line := len(h.Actions); {
			case line == 0:
				return map[Card]float64{J: bluff, Q: 0, K: 3 * bluff}[card]
			case line == 2:
				return map[Card]float64{J: 0, Q: bluff + 1.0/3, K: 1}[card]
			case h.last() == Bet:
				return map[Card]float64{J: 0, Q: 1.0 / 3, K: 1}[card]
			}
			return map[Card]float64{J: 1.0 / 3, Q: 0, K: 1}[card]
		}
		var sum float64
		for _, h := range Deals() {
			sum += value(t, h, boldly) / 6
		}
		if want := -1.0 / 18; math.Abs(sum-want) > 1e-12 {
			t.Errorf("bluffing %.2f of the time: the first player wins %v a hand, want %v", bluff, sum, want)
		}
	}
}

// value returns the average win of player 0.
func value(t *testing.T, h Hand, boldly func(Hand) float64) float64 {
	if h.Over() {
		return float64(h.Payoff())
	}
	bold, timid := Bet, Check
	if h.last() == Bet {
		bold, timid = Call, Fold
	}
	p := boldly(h)
	return p*value(t, after(t, h, string(bold)), boldly) + (1-p)*value(t, after(t, h, string(timid)), boldly)
}

// after returns a hand after some more actions.
func after(t *testing.T, h Hand, actions ...string) Hand {
	t.Helper()
	for _, a := range actions {
		next, err := h.Play(Action(a))
		if err != nil {
			t.Fatal(err)
		}
		h = next
	}
	return h
}
