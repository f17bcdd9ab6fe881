package game_test

import (
	"testing"

	"agentleague/game/gametest"
)

// The game that the guide and the example of this package describe keeps the laws of every game.

func TestContract(t *testing.T) { gametest.Run(t, Game{}, 50) }

func FuzzCheck(f *testing.F) { gametest.Fuzz(f, Game{}) }
