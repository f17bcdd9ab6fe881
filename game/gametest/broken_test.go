package gametest

import (
	"math/rand/v2"

	"agentleague/game"
)

// brokenGame is a good game with some of its methods replaced.
type brokenGame struct {
	game.Game
	info  func(game.Info) game.Info
	start func(seats int) error
	state func(game.State) game.State
}

func (g brokenGame) Info() game.Info {
	if g.info == nil {
		return g.Game.Info()
	}
	return g.info(g.Game.Info())
}

func (g brokenGame) Start(seats int, rng *rand.Rand) (game.State, error) {
	if g.start != nil {
		if err := g.start(seats); err != nil {
			return nil, err
		}
		seats = g.Game.Info().MinSeats
	}
	s, err := g.Game.Start(seats, rng)
	if err == nil && g.state != nil {
		s = g.state(s)
	}
	return s, err
}

// brokenState is a good match with some of its methods replaced.
type brokenState struct {
	game.State
	toMove  func() []game.Seat
	view    func(game.View) game.View
	check   func(game.Seat, game.Move) error
	apply   func(map[game.Seat]game.Move) error
	outcome func(game.Outcome, bool) (game.Outcome, bool)
}

func (s *brokenState) ToMove() []game.Seat {
	if s.toMove == nil {
		return s.State.ToMove()
	}
	return s.toMove()
}

func (s *brokenState) View(seat game.Seat) game.View {
	if s.view == nil {
		return s.State.View(seat)
	}
	return s.view(s.State.View(seat))
}

func (s *brokenState) Check(seat game.Seat, m game.Move) error {
	if s.check == nil {
		return s.State.Check(seat, m)
	}
	return s.check(seat, m)
}

func (s *brokenState) Apply(moves map[game.Seat]game.Move) error {
	if s.apply == nil {
		return s.State.Apply(moves)
	}
	return s.apply(moves)
}

func (s *brokenState) Outcome() (game.Outcome, bool) {
	if s.outcome == nil {
		return s.State.Outcome()
	}
	return s.outcome(s.State.Outcome())
}

// states returns g with every match broken in the same way.
func states(g game.Game, broken func(s *brokenState)) game.Game {
	return brokenGame{Game: g, state: func(good game.State) game.State {
		s := &brokenState{State: good}
		broken(s)
		return s
	}}
}
