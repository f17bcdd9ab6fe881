// Package twentyonequestions implements a race to find a secret thing: in each step both
// players simultaneously ask about one of its attributes, or guess the thing.
//
//	seat 0: ask:can_fly ─┐            ┌─▶ seat 0 alone: yes
//	                     ├─▶ secret: duck
//	seat 1: guess:horse ─┘            └─▶ seat 1 alone: no
package twentyonequestions

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"agentleague/game"
	"agentleague/game/draw"
)

// Game implements the rules of 21 Questions. Its zero value is ready to use.
type Game struct{}

const (
	moveType = "ask_or_guess" // the one thing a player is asked for

	// maxSteps is the maximum number of questions and guesses of each player.
	maxSteps = 21

	asks    = "ask:"
	guesses = "guess:"
)

// Info describes 21 Questions.
func (Game) Info() game.Info {
	return game.Info{
		Type:   "twenty_one_questions",
		Name:   "21 Questions",
		Module: "twentyonequestions",
		Rules: "The referee holds a secret: one of 32 things. The table \"attributes\" names for each attribute all " +
			"things of which it is " +
			"true; of all others it is false. In each of at most 21 steps both players move at the same time: " +
			"\"ask:ATTRIBUTE\", " +
			"for example \"ask:can_fly\", to be told whether it is true of the secret, or \"guess:THING\", for example " +
			"\"guess:duck\". Only who asked hears the answer; the other sees whether it was a question or a guess, and " +
			"not which. " +
			"Nobody asks or guesses the same twice. The first right guess wins. If both guess right in the same step, or " +
			"nobody does " +
			"in 21 steps, the match is a draw.",
		MoveTypes:    []string{moveType},
		ValidChoices: map[string][]string{moveType: {asks + "ATTRIBUTE", guesses + "THING"}},
		MinSeats:     2,
		MaxSeats:     2,
		MaxTurns:     maxSteps,
	}
}

// Start draws the secret.
func (g Game) Start(seats int, rng *rand.Rand) (game.State, error) {
	if err := g.Info().CheckSeats(seats); err != nil {
		return nil, err
	}
	return &state{secret: things[draw.Number(rng, len(things))-1]}, nil
}

// state is a match: the secret, and the move of each seat in each step, as text.
type state struct {
	secret thing
	said   [2][]string
}

// steps returns how many are played.
func (s *state) steps() int { return len(s.said[0]) }

// right reports whether the last move of a seat is a correct guess.
func (s *state) right(seat game.Seat) bool {
	said := s.said[seat]
	return len(said) > 0 && said[len(said)-1] == guesses+s.secret.name
}

// ToMove returns both seats until one has guessed right or the steps are used up.
func (s *state) ToMove() []game.Seat {
	return game.Both(s.steps() == maxSteps || s.right(0) || s.right(1))
}

// View shows a seat the table and the answers to its own questions.
func (s *state) View(seat game.Seat) game.View {
	return game.Look(s, seat, s.steps(), s.seen(seat), moveType, func() []game.Move { return s.options(seat) })
}

// options returns the questions and guesses that a seat has not made yet.
func (s *state) options(seat game.Seat) (out []game.Move) {
	offer := func(text string) {
		if !slices.Contains(s.said[seat], text) {
			out = append(out, game.Move(`"`+text+`"`))
		}
	}
	for _, a := range attributes {
		offer(asks + a)
	}
	for _, t := range things {
		offer(guesses + t.name)
	}
	return out
}

// Check accepts a question or a guess that the seat has not made yet.
func (s *state) Check(seat game.Seat, m game.Move) error {
	return game.CheckMove(s, seat, m, func(m game.Move) (string, error) { return s.textOf(seat, m) })
}

// textOf returns the text of a legal move.
func (s *state) textOf(seat game.Seat, m game.Move) (text string, err error) {
	if json.Unmarshal(m, &text) != nil {
		return "", errForm
	}
	attribute, asked := strings.CutPrefix(text, asks)
	name, guessed := strings.CutPrefix(text, guesses)
	switch {
	case asked && !slices.Contains(attributes, attribute):
		return "", errors.New("there is no such attribute; the table names all of them")
	case guessed && !isThing(name):
		return "", errors.New("there is no such thing; the options name all of them")
	case !asked && !guessed:
		return "", errForm
	case slices.Contains(s.said[seat], text):
		return "", fmt.Errorf("%s was already said; ask or guess something else", text)
	}
	return text, nil
}

// errForm describes the form of a move.
var errForm = errors.New(`use "ask:ATTRIBUTE" or "guess:THING"`)

// Apply takes both moves.
func (s *state) Apply(moves map[game.Seat]game.Move) error {
	if err := game.CheckMoves(s, moves); err != nil {
		return err
	}
	for seat, m := range moves {
		text, _ := s.textOf(seat, m) // CheckMoves has accepted it
		s.said[seat] = append(s.said[seat], text)
	}
	return nil
}

// Outcome returns the result once a player has found the secret or the steps are used up.
func (s *state) Outcome() (game.Outcome, bool) {
	if len(s.ToMove()) > 0 {
		return game.Outcome{}, false
	}
	o := game.Outcome{Scores: []int{0, 0}, Details: s.reveal()}
	switch first, second := s.right(0), s.right(1); {
	case first && second:
		o.Reason = fmt.Sprintf("both guessed %s in step %d", s.secret.name, s.steps())
	case first:
		o.Scores[0] = 1
		o.Reason = fmt.Sprintf("{0} guessed %s in step %d", s.secret.name, s.steps())
	case second:
		o.Scores[1] = 1
		o.Reason = fmt.Sprintf("{1} guessed %s in step %d", s.secret.name, s.steps())
	default:
		o.Reason = fmt.Sprintf("nobody guessed %s in %d steps", s.secret.name, maxSteps)
	}
	return o, true
}
