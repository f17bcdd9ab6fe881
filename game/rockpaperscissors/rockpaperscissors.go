// Package rockpaperscissors implements a series of rock-paper-scissors that is long enough for a
// player that predicts its opponent to win.
//
//	seat 0: "rock"  ─┐
//	                 ├─▶ paper wraps rock: a win for seat 1   (first to 5, at most 15 throws)
//	seat 1: "paper" ─┘
package rockpaperscissors

import (
	"math/rand/v2"

	"agentleague/game"
)

// Game implements the rules of Rock, Paper, Scissors. Its zero value is ready to use.
type Game struct{}

const moveType = "throw" // the one thing a player is asked for

// targetWins is the number of throws that wins the match, and maxThrows is the maximum number of throws. One throw
// is chance; five wins leave time to recognize and exploit a habit. Most ends a match that stays level.
const (
	targetWins = 5
	maxThrows  = 15
)

// A throw is a player's choice.
type throw string

// The throws. Each beats the one before it, and the first beats the last.
const (
	rock     throw = "rock"
	paper    throw = "paper"
	scissors throw = "scissors"
)

// allThrows is every throw, in that order.
var allThrows = [...]throw{rock, paper, scissors}

// Beats reports whether t wins against other.
func (t throw) Beats(other throw) bool {
	return t == rock && other == scissors || t == paper && other == rock || t == scissors && other == paper
}

// Info describes Rock, Paper, Scissors.
func (Game) Info() game.Info {
	return game.Info{
		Type:   "rock_paper_scissors",
		Name:   "Rock, Paper, Scissors",
		Module: "rockpaperscissors",
		Rules: "In each throw both players at the same time show \"rock\", \"paper\" or \"scissors\" (throw), without " +
			"seeing what the " +
			"other shows. Rock beats scissors, scissors beats paper, paper beats rock; two equal throws win nothing for " +
			"anybody. " +
			"All throws before are known to both. The first player with five wins has won the match; after fifteen throws " +
			"the one with more wins has, and equally many are a draw.",
		MoveTypes:    []string{moveType},
		ValidChoices: map[string][]string{moveType: {string(rock), string(paper), string(scissors)}},
		MinSeats:     2,
		MaxSeats:     2,
		MaxTurns:     maxThrows,
		// a referee that reveals one player's throw to the other decides the match
		GuestsMayJudge: false,
	}
}

// Start begins a match without throws. The game has no randomness.
func (g Game) Start(seats int, _ *rand.Rand) (game.State, error) {
	if err := g.Info().CheckSeats(seats); err != nil {
		return nil, err
	}
	return &state{}, nil
}

// state is a match: the throws so far, by step and seat.
type state struct{ past [][2]throw }

// wins returns the number of throws that each seat has won.
func (s *state) wins() (n [2]int) {
	for _, t := range s.past {
		for seat := range t {
			if t[seat].Beats(t[1-seat]) {
				n[seat]++
			}
		}
	}
	return n
}

// over reports whether a player has won Target throws, or all throws are made.
func (s *state) over() bool {
	n := s.wins()
	return max(n[0], n[1]) == targetWins || len(s.past) == maxThrows
}

// ToMove returns both seats until the match is over.
func (s *state) ToMove() []game.Seat { return game.Both(s.over()) }

// View shows the throws so far.
func (s *state) View(seat game.Seat) game.View {
	return game.Look(s, seat, len(s.past), s.seen(seat), moveType, func() []game.Move { return game.Words(allThrows[:]) })
}

// Check accepts a throw from either seat while the match is in progress.
func (s *state) Check(seat game.Seat, m game.Move) error {
	return game.CheckMove(s, seat, m, throwIn)
}

// throwIn parses a move as a throw, in lower case.
func throwIn(m game.Move) (throw, error) { return game.Word(m, allThrows[:]) }

// Apply makes the next throw of both.
func (s *state) Apply(moves map[game.Seat]game.Move) error {
	if err := game.CheckMoves(s, moves); err != nil {
		return err
	}
	var now [2]throw
	for seat, m := range moves {
		now[seat], _ = throwIn(m) // CheckMoves has seen that it is one
	}
	s.past = append(s.past, now)
	return nil
}

// Outcome returns the result once the match is over: the player with more won throws wins.
func (s *state) Outcome() (game.Outcome, bool) {
	if !s.over() {
		return game.Outcome{}, false
	}
	return s.result(), true
}
