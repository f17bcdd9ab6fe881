// Package evenodd implements Even/Odd: both players guess the parity of a number that is drawn
// after both have chosen.
//
//	seat 0: "even" ─┐
//	                ├─▶ draw 1..10 ─▶ 8 (even) ─▶ seat 0 wins
//	seat 1: "odd"  ─┘
package evenodd

import (
	"encoding/json"
	"math/rand/v2"
	"slices"

	"agentleague/game"
)

// Game implements the rules of Even/Odd. Its zero value is ready to use.
type Game struct{}

// moveType is the only move type of the game.
const moveType = "choose_parity"

// info is the immutable part of [Game.Info].
var info = game.Info{
	Type:   "even_odd",
	Name:   "Even/Odd",
	Module: "evenodd",
	Rules: "Both players choose even or odd at the same time, without seeing the other's choice. Then a number from 1 to " +
		"10 is drawn, each as likely as the others. If only one player chose its parity, that player wins; if both or " +
		"neither did, the match is a draw.",
	MinSeats: 2,
	MaxSeats: 2,
	MaxTurns: 1,

	GuestsMayJudge: true,
}

// Info describes Even/Odd. The caller may change the returned lists.
func (Game) Info() game.Info {
	i := info
	i.MoveTypes, i.ValidChoices = []string{moveType}, map[string][]string{moveType: {even, odd}}
	return i
}

// Start begins a match that waits for both choices. Nothing is drawn yet.
func (Game) Start(seats int, rng *rand.Rand) (game.State, error) {
	if err := info.CheckSeats(seats); err != nil {
		return nil, err
	}
	return initialState(rng), nil
}

// state is a match. It has a single step; number is 0 until it is drawn.
type state struct {
	rng     *rand.Rand
	choices [2]string
	number  int
}

// initialState returns a match without choices.
func initialState(rng *rand.Rand) *state { return &state{rng: rng} }

func (s *state) over() bool { return s.number != 0 }

// ToMove returns both seats until they have chosen.
func (s *state) ToMove() []game.Seat { return game.Both(s.over()) }

// View shows only the question: before the draw there is no other information.
func (s *state) View(seat game.Seat) game.View {
	v := game.View{Seat: seat, Context: json.RawMessage(`{}`)}
	if s.over() {
		v.Turn = 1
	}
	if slices.Contains(s.ToMove(), seat) {
		v.Ask = moveType
		v.Options = []game.Move{game.Move(`"even"`), game.Move(`"odd"`)}
	}
	return v
}

// Check accepts "even" and "odd" from a seat that has not chosen yet.
func (s *state) Check(seat game.Seat, m game.Move) error {
	return game.CheckMove(s, seat, m, validateChoice)
}

// Apply takes both choices and only then draws the number.
func (s *state) Apply(moves map[game.Seat]game.Move) error {
	if err := game.CheckMoves(s, moves); err != nil {
		return err
	}
	for seat, m := range moves {
		s.choices[seat], _ = validateChoice(m) // CheckMoves has seen that it is one
	}
	s.number = drawNumber(s.rng)
	return nil
}

// Outcome returns the result once the number is drawn.
func (s *state) Outcome() (game.Outcome, bool) {
	if !s.over() {
		return game.Outcome{}, false
	}
	return determineWinner(s.choices, s.number), true
}
