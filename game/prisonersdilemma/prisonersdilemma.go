// Package prisonersdilemma implements the iterated prisoner's dilemma: two players do best if both
// cooperate, but each is tempted to defect. They do not know the number of steps.
//
//	                opponent
//	            cooperate  defect
//	cooperate     3, 3      0, 5
//	defect        5, 0      1, 1       20 to 40 steps
package prisonersdilemma

import (
	"math/rand/v2"

	"agentleague/game"
	"agentleague/game/draw"
)

// Game implements the rules of the iterated prisoner's dilemma. Its zero value is ready to use.
type Game struct{}

const moveType = "choose_action" // the one thing a player is asked for

// The number of steps of a match is drawn at its start, uniformly from Shortest to Longest. It is secret until the
// end, because a player that knows the last step would defect in it.
const (
	minSteps = 20
	maxSteps = 40
)

// An Action is a player's choice in a step.
type Action string

// The two actions.
const (
	Cooperate Action = "cooperate"
	Defect    Action = "defect"
)

// allActions is both, in that order.
var allActions = [...]Action{Cooperate, Defect}

// payoff returns the points in one step of a player that plays mine against theirs.
func payoff(mine, theirs Action) int {
	switch {
	case mine == Cooperate && theirs == Cooperate:
		return 3
	case mine == Defect && theirs == Defect:
		return 1
	case mine == Defect:
		return 5
	}
	return 0
}

// Info describes the prisoner's dilemma.
func (Game) Info() game.Info {
	return game.Info{
		Type:   "prisoners_dilemma",
		Name:   "Prisoner's Dilemma",
		Module: "prisonersdilemma",
		Rules: "In each step both players at the same time choose \"cooperate\" or \"defect\" (choose_action), " +
			"without seeing the " +
			"other's choice; all steps before are known to both. If both cooperate, each scores 3; if both defect, each scores " +
			"1; if one defects and the other cooperates, the one that defects scores 5 and the other 0. A match has 20 to 40 " +
			"steps: the number is drawn at the start, each as likely as the others, and nobody knows it before the end. " +
			"The player with the " +
			"higher total wins the match; equal totals are a draw.",
		MoveTypes:    []string{moveType},
		ValidChoices: map[string][]string{moveType: {string(Cooperate), string(Defect)}},
		MinSeats:     2,
		MaxSeats:     2,
		MaxTurns:     maxSteps,
		// a referee that reveals the last step, or the other's choice, gives a player the match
		GuestsMayJudge: false,
	}
}

// Start draws how long the match is.
func (g Game) Start(seats int, rng *rand.Rand) (game.State, error) {
	if err := g.Info().CheckSeats(seats); err != nil {
		return nil, err
	}
	return &state{steps: minSteps - 1 + draw.Number(rng, maxSteps-minSteps+1)}, nil
}

// state is a match: its number of steps, and the actions so far by step and seat.
type state struct {
	steps int
	past  [][2]Action
}

func (s *state) over() bool { return len(s.past) == s.steps }

// totals returns the points of each seat.
func (s *state) totals() (n [2]int) {
	for _, a := range s.past {
		for seat := range a {
			n[seat] += payoff(a[seat], a[1-seat])
		}
	}
	return n
}

// ToMove returns both seats until the last step is made.
func (s *state) ToMove() []game.Seat { return game.Both(s.over()) }

// View shows the steps so far, but not the total number of steps.
func (s *state) View(seat game.Seat) game.View {
	return game.Look(s, seat, len(s.past), s.seen(seat), moveType, func() []game.Move { return game.Words(allActions[:]) })
}

// Check accepts an action from either seat while the match is in progress.
func (s *state) Check(seat game.Seat, m game.Move) error {
	return game.CheckMove(s, seat, m, actionIn)
}

// actionIn parses a move as an action, in lower case.
func actionIn(m game.Move) (Action, error) { return game.Word(m, allActions[:]) }

// Apply makes a step.
func (s *state) Apply(moves map[game.Seat]game.Move) error {
	if err := game.CheckMoves(s, moves); err != nil {
		return err
	}
	var now [2]Action
	for seat, m := range moves {
		now[seat], _ = actionIn(m) // CheckMoves has seen that it is one
	}
	s.past = append(s.past, now)
	return nil
}

// Outcome returns the result after the last step: the player with more points wins.
func (s *state) Outcome() (game.Outcome, bool) {
	if !s.over() {
		return game.Outcome{}, false
	}
	return s.result(), true
}
