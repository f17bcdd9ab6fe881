package game_test

import (
	"testing"

	"agentleague/game"
)

func TestEverybodySeesItselfFirst(t *testing.T) {
	first := [2]game.Side{{Seat: 0, Name: "first"}, {Seat: 1, Name: "second"}}
	for seat, want := range map[game.Seat][2]game.Side{
		0:  {{Seat: 0, Name: "you"}, {Seat: 1, Name: "opponent"}},
		1:  {{Seat: 1, Name: "you"}, {Seat: 0, Name: "opponent"}},
		-1: first,
		2:  first,
	} {
		if got := game.Sides(seat); got != want {
			t.Errorf("seat %d: got %v, want %v", seat, got, want)
		}
	}
}
