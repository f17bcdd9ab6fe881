package kuhnpoker

import (
	"errors"
	"fmt"
	"slices"
)

// A Card is one of the three of the deck. No card, "", is one that is not shown.
type Card string

// The cards, the lowest first.
const (
	J Card = "J"
	Q Card = "Q"
	K Card = "K"
)

// deck is every card, each higher than those before it.
var deck = [...]Card{J, Q, K}

// Beats reports whether c is the higher card.
func (c Card) Beats(other Card) bool {
	return slices.Index(deck[:], c) > slices.Index(deck[:], other)
}

// An Action is what a player does with its hand.
type Action string

// The actions. Check and Bet are for who faces no bet, Call and Fold for who does.
const (
	Check Action = "check"
	Bet   Action = "bet"
	Call  Action = "call"
	Fold  Action = "fold"
)

// A Hand is one deal and what was done with it, from the two players' antes to the
// showdown or the fold. Player 0 is the one that acts first. It is a value: Play
// returns another and leaves its own as it is. The rules of a match are those of its hands.
type Hand struct {
	Cards   [2]Card // of player 0 and of player 1
	Actions []Action
}

// Deals returns the six ways to deal a hand, each as likely as the others.
func Deals() []Hand {
	var deals []Hand
	for _, first := range deck {
		for _, second := range deck {
			if first != second {
				deals = append(deals, Hand{Cards: [2]Card{first, second}})
			}
		}
	}
	return deals
}

// Player returns who is to act, 0 or 1, or who would be if the hand were not over.
func (h Hand) Player() int { return len(h.Actions) % 2 }

// Legal returns what the player to act may do, and nothing once the hand is over.
func (h Hand) Legal() []Action {
	switch {
	case h.Over():
		return nil
	case h.last() == Bet:
		return []Action{Call, Fold}
	}
	return []Action{Check, Bet}
}

// Over reports whether nobody acts any more.
func (h Hand) Over() bool {
	return h.last() == Call || h.last() == Fold || h.last() == Check && len(h.Actions) == 2
}

// Play returns the hand after one more action, or an error that says which there are.
func (h Hand) Play(a Action) (Hand, error) {
	legal := h.Legal()
	switch {
	case legal == nil:
		return h, errors.New("the hand is over")
	case !slices.Contains(legal, a):
		return h, fmt.Errorf("use %q or %q", legal[0], legal[1])
	}
	h.Actions = append(slices.Clone(h.Actions), a)
	return h, nil
}

// Payoff returns the chips that player 0 wins by a hand that is over; player 1 wins as many less than none.
func (h Hand) Payoff() int {
	switch {
	case h.last() == Fold:
		return 1 - 2*h.Player() // who would be to act now has bet and not been called
	case h.Cards[0].Beats(h.Cards[1]):
		return h.Pot() / 2
	}
	return -h.Pot() / 2
}

// Shown reports whether the hand ended with both cards on the table. After a fold nobody shows one.
func (h Hand) Shown() bool { return h.Over() && h.last() != Fold }

// Pot returns the chips on the table: both antes, and what was bet and called.
func (h Hand) Pot() int {
	pot := 2
	for _, a := range h.Actions {
		if a == Bet || a == Call {
			pot++
		}
	}
	return pot
}

// last returns the newest action, or none.
func (h Hand) last() Action {
	if len(h.Actions) == 0 {
		return ""
	}
	return h.Actions[len(h.Actions)-1]
}
