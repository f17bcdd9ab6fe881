package gametest

import (
	"fmt"
	"reflect"
	"testing"

	"agentleague/game"
)

// Playouts plays the given number of seeded matches with random options, and replays each. It checks only
// that matches end, so it suits thousands of matches; [Run] checks every law in every position of a few.
func Playouts(t *testing.T, g game.Game, matches int) {
	t.Helper()
	for seed := range matches {
		if err := playout(g, seed); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// playout plays one match and plays it again.
func playout(g game.Game, seed int) error {
	p, err := start(g, seed)
	if err != nil {
		return err
	}
	var played []map[game.Seat]game.Move
	for choose := randomMoves(seed); len(p.state.ToMove()) > 0; p.turn++ {
		if p.turn == p.info.MaxTurns {
			return fmt.Errorf("no outcome after %d turns, want one", p.turn)
		}
		moves := choose(p)
		if err := p.state.Apply(moves); err != nil {
			return fmt.Errorf("turn %d: options are refused: %w", p.turn, err)
		}
		played = append(played, moves)
	}
	if err := seatsToMove(p); err != nil {
		return err
	}
	if err := outcomeIsComplete(p); err != nil {
		return err
	}
	return playedAgain(g, seed, p, played)
}

// playedAgain requires that the same moves lead to the same outcome.
func playedAgain(g game.Game, seed int, p position, played []map[game.Seat]game.Move) error {
	again, err := start(g, seed)
	if err != nil {
		return err
	}
	for turn, moves := range played {
		if err := again.state.Apply(moves); err != nil {
			return fmt.Errorf("replay: turn %d: %w", turn, err)
		}
	}
	want, _ := p.state.Outcome()
	if got, over := again.state.Outcome(); !over || !reflect.DeepEqual(got, want) {
		return fmt.Errorf("replay differs from play: got %+v, over %v; want %+v", got, over, want)
	}
	return nil
}
