package kuhnpoker

import (
	"errors"
	"fmt"
	"slices"
)

// A Card is one of the three cards of the deck. The zero value "" is a hidden card.
type Card string

// The cards, the lowest first.
const (
	J Card = "J"
	Q Card = "Q"
	K Card = "K"
)

// deck lists the cards from the lowest to the highest.
var deck = [...]Card{J, Q, K}

// Beats reports whether c is the higher card.
func (c Card) Beats(other Card) bool {
	return slices.Index(deck[:], c) > slices.Index(deck[:], other)
}

// An Action is a player's move in a hand.
type Action string

// The actions. Check and Bet are legal without a bet to answer, Call and Fold only after one.
const (
	Check Action = "check"
	Bet   Action = "bet"
	Call  Action = "call"
	Fold  Action = "fold"
)

// A Hand is one deal and its actions, from the two antes to the showdown or the fold. Player 0 acts first. It is an
// immutable value: Play returns a new hand.
type Hand struct {
	Cards   [2]Card // of player 0 and of player 1
	Actions []Action
}

// Deals returns the six possible deals, which are equally likely.
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

// Player returns the player to act, 0 or 1. The result is meaningless once the hand is over.
func (h Hand) Player() int { return len(h.Actions) % 2 }

// Legal returns the legal actions of the player to act, or none once the hand is over.
func (h Hand) Legal() []Action {
	switch {
	case h.Over():
		return nil
	case h.last() == Bet:
		return []Action{Call, Fold}
	}
	return []Action{Check, Bet}
}

// Over reports whether the hand has ended.
func (h Hand) Over() bool {
	return h.last() == Call || h.last() == Fold || h.last() == Check && len(h.Actions) == 2
}

// Play returns the hand after one more action, or an error that lists the legal ones.
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

// Payoff returns the chips that player 0 wins in a finished hand, negative for a loss. Player 1 wins the opposite.
func (h Hand) Payoff() int {
	switch {
	case h.last() == Fold:
		return 1 - 2*h.Player() // the player that would act now has bet and was not called
	case h.Cards[0].Beats(h.Cards[1]):
		return h.Pot() / 2
	}
	return -h.Pot() / 2
}

// Shown reports whether the hand ended in a showdown. After a fold both cards stay hidden.
func (h Hand) Shown() bool { return h.Over() && h.last() != Fold }

// Pot returns the chips on the table: both antes, bets and calls.
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
