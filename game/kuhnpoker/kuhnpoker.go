// Package kuhnpoker implements Kuhn poker, the smallest poker game in which bluffing pays: three
// cards, one bet, twelve hands.
//
//	J < Q < K, one each, ante 1
//
//	first ─ check ─ second ─ check ─ showdown for 1
//	      │                └ bet ─── first ─ call ─ showdown for 2
//	      │                                └ fold ─ second wins 1
//	      └ bet ─── second ─ call ─ showdown for 2
//	                       └ fold ─ first wins 1
package kuhnpoker

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"agentleague/game"
	"agentleague/game/draw"
)

// Game implements the rules of Kuhn poker. Its zero value is ready to use.
type Game struct{}

const (
	moveType = "poker_action" // the one thing a player is asked for

	// handsPerMatch is the number of hands in a match. Each player acts first in half of them. One hand is mostly luck; in
	// twelve hands the equilibrium strategy wins 60 % of matches against a random player and loses 32 %. Twelve hands take
	// 27 moves on average and at most 36, few enough for a player that pays for each.
	handsPerMatch = 12

	mostActions = 3 // in a hand
)

// Info describes Kuhn poker.
func (Game) Info() game.Info {
	return game.Info{
		Type:   "kuhn_poker",
		Name:   "Kuhn Poker",
		Module: "kuhnpoker",
		Rules: "The deck has three cards, J, Q and K; K is the highest. A match has twelve hands, which the players " +
			"begin in turn. " +
			"In each hand both put one chip into the pot and get one card that only they see; the third card stays hidden. The " +
			"player that begins answers \"check\" or \"bet\" (one more chip). After a check the other may \"check\" or " +
			"\"bet\"; who " +
			"faces a bet answers \"call\" (one more chip) or \"fold\". After a fold the other takes the pot, and no card " +
			"is shown. " +
			"After two checks or a call both cards are shown and the higher one takes the pot. The player with more chips after " +
			"twelve hands wins; equal chips are a draw.",
		MoveTypes:    []string{moveType},
		ValidChoices: map[string][]string{moveType: {string(Check), string(Bet), string(Call), string(Fold)}},
		MinSeats:     2,
		MaxSeats:     2,
		MaxTurns:     handsPerMatch * mostActions,
		SeatMatters:  true, // the last to act in the last hand knows the required result
	}
}

// Start deals the first hand.
func (g Game) Start(seats int, rng *rand.Rand) (game.State, error) {
	if err := g.Info().CheckSeats(seats); err != nil {
		return nil, err
	}
	return &state{rng: rng, hands: []Hand{deal(rng)}}, nil
}

// deal gives each player a card.
func deal(rng *rand.Rand) Hand {
	deals := Deals()
	return deals[draw.Number(rng, len(deals))-1]
}

// state is a match: all hands dealt so far. The last one is in progress unless the
// match is over. Seat i mod 2 acts first in hand i.
type state struct {
	rng   *rand.Rand
	hands []Hand
	turn  int
}

// now returns the hand that is being played.
func (s *state) now() Hand { return s.hands[len(s.hands)-1] }

// seatOf returns the seat of player 0 or 1 of a hand.
func seatOf(hand, player int) game.Seat { return game.Seat((hand + player) % 2) }

// playerIn returns the player of a hand, 0 or 1, that a seat is.
func playerIn(hand int, seat game.Seat) int { return (hand + int(seat)) % 2 }

// ToMove returns the seat to act, or none once the last hand is over.
func (s *state) ToMove() []game.Seat {
	if s.now().Over() {
		return nil
	}
	return []game.Seat{seatOf(len(s.hands)-1, s.now().Player())}
}

// View shows a seat its card and the cards shown in earlier hands.
func (s *state) View(seat game.Seat) game.View {
	return game.Look(s, seat, s.turn, s.seen(seat), moveType, func() []game.Move { return game.Words(s.now().Legal()) })
}

// Check accepts an action that the hand allows, from the seat that is to act.
func (s *state) Check(seat game.Seat, m game.Move) error {
	return game.CheckMove(s, seat, m, s.played)
}

// played returns the hand after a move.
func (s *state) played(m game.Move) (Hand, error) {
	var a Action
	_ = json.Unmarshal(m, &a) // a move that is not a text is no action
	return s.now().Play(a)
}

// Apply plays the action, and deals the next hand if the action ends one.
func (s *state) Apply(moves map[game.Seat]game.Move) error {
	if err := game.CheckMoves(s, moves); err != nil {
		return err
	}
	for _, m := range moves { // there is one
		s.hands[len(s.hands)-1], _ = s.played(m) // CheckMoves has seen that it is legal
	}
	s.turn++
	if s.now().Over() && len(s.hands) < handsPerMatch {
		s.hands = append(s.hands, deal(s.rng))
	}
	return nil
}

// chips returns a seat's chips from all hands so far, negative for a loss.
func (s *state) chips(seat game.Seat) (sum int) {
	for i, h := range s.hands {
		sum += won(i, h, seat)
	}
	return sum
}

// won returns a seat's chips from one hand, or 0 while the hand is in progress.
func won(hand int, h Hand, seat game.Seat) int {
	if !h.Over() {
		return 0
	}
	return h.Payoff() * (1 - 2*playerIn(hand, seat))
}

// Outcome returns the result after the last hand: the player with more chips wins.
func (s *state) Outcome() (game.Outcome, bool) {
	if len(s.ToMove()) > 0 {
		return game.Outcome{}, false
	}
	o := game.Outcome{
		Scores:  []int{s.chips(0), s.chips(1)},
		Reason:  fmt.Sprintf("neither is ahead after %d hands", handsPerMatch),
		Details: s.reveal(),
	}
	if winner, ok := o.Winner(); ok {
		o.Reason = fmt.Sprintf("{%d} is %d chips ahead after %d hands", winner, 2*o.Scores[winner], handsPerMatch)
	}
	return o, true
}
