// Package mindtest lets strategies play against each other without a network. It
// gives them the same information as a referee.
//
//	outcome := mindtest.Play(t, tictactoe.Game{}, 7, mindtest.Two(first, second))
package mindtest

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"agentleague/game"
	"agentleague/game/draw"
	"agentleague/player"
)

// Two are the minds in seats 0 and 1.
func Two(first, second player.Strategy) [2]player.Strategy { return [2]player.Strategy{first, second} }

// Play plays one match to its end and returns the result. The seed determines the randomness of the game and the match
// id. A strategy that fails, or plays illegally, fails the test.
func Play(t testing.TB, g game.Game, seed uint64, minds [2]player.Strategy) game.Outcome {
	t.Helper()
	s, err := g.Start(len(minds), draw.New(binary.BigEndian.AppendUint64(nil, seed)))
	if err != nil {
		t.Fatal(err)
	}
	for turn := 0; len(s.ToMove()) > 0; turn++ {
		if turn > g.Info().MaxTurns {
			t.Fatalf("%s does not end", g.Info().Type)
		}
		moves := map[game.Seat]game.Move{}
		for _, seat := range s.ToMove() {
			moves[seat] = Ask(t, g, seed, seat, s.View(seat), minds[seat])
			if err := s.Check(seat, moves[seat]); err != nil {
				t.Fatalf("seed %d, turn %d: %v", seed, turn, err)
			}
		}
		if err := s.Apply(moves); err != nil {
			t.Fatal(err)
		}
	}
	o, _ := s.Outcome()
	return o
}

// Ask calls a strategy once, with a view and the other information that a referee sends, and returns its move.
func Ask(t testing.TB, g game.Game, seed uint64, seat game.Seat, v game.View, mind player.Strategy) game.Move {
	t.Helper()
	m := player.Match{LeagueID: "test", ID: fmt.Sprintf("R%dM1", seed), Game: g.Info().Type, Attempt: 1,
		Opponent: fmt.Sprintf("P%02d", 2-seat)}
	v.Seat = 0
	move, err := mind.Choose(player.WithMatch(context.Background(), m, nil), v)
	if err != nil {
		t.Fatalf("seed %d, seat %d: %v", seed, seat, err)
	}
	return move
}

// Points counts the results of matches from the point of view of seat 0.
type Points struct{ Wins, Draws, Losses int }

// Count adds the end of a match, for a seat.
func (p *Points) Count(o game.Outcome, seat game.Seat) {
	switch winner, won := o.Winner(); {
	case !won:
		p.Draws++
	case winner == seat:
		p.Wins++
	default:
		p.Losses++
	}
}

// Score returns the share of points that was won, between 0 and 1; a draw counts half.
func (p Points) Score() float64 {
	return (float64(p.Wins) + float64(p.Draws)/2) / float64(max(1, p.Wins+p.Draws+p.Losses))
}
