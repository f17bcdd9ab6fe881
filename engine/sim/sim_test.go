package sim_test

import (
	"testing"

	"agentleague/engine"
	"agentleague/engine/enginetest"
	"agentleague/engine/sim"
)

func TestSimKeepsTheLaws(t *testing.T) {
	enginetest.Run(t, enginetest.Options{Virtual: true}, func(*testing.T) enginetest.Store {
		s := sim.New(1)
		return enginetest.Store{
			Open:   func(*testing.T) engine.Engine { return s.Open(sim.Options{}) },
			Damage: func(_ *testing.T, log string, seq uint64) { s.Drop(log, seq) },
		}
	})
}
