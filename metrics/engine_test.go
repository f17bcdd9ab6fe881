package metrics_test

import (
	"context"
	"testing"

	"agentleague/engine"
	"agentleague/engine/enginetest"
	"agentleague/engine/sim"
	"agentleague/metrics"
)

func TestTimedEngineKeepsTheLaws(t *testing.T) {
	enginetest.Run(t, enginetest.Options{Virtual: true}, func(*testing.T) enginetest.Store {
		s := sim.New(1)
		return enginetest.Store{Open: func(*testing.T) engine.Engine { return metrics.New().Engine(s.Open(sim.Options{})) }}
	})
}

func TestAppendsAreTimedByHowTheyEnd(t *testing.T) {
	a := metrics.New()
	e := a.Engine(sim.New(1).Open(sim.Options{}))
	for _, prev := range []uint64{0, 1, 1, 2} { // the third is fenced
		_, _ = e.Append(t.Context(), "log", prev, []byte("{}"))
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Append(gone, "log", 3, []byte("{}")); err == nil {
		t.Error("an append without time succeeded")
	}
	got := figures(t, a)
	check(t, got, map[string]float64{
		`league_append_duration_seconds_count{outcome="ok"}`:     3,
		`league_append_duration_seconds_count{outcome="fenced"}`: 1,
		`league_append_duration_seconds_count{outcome="failed"}`: 1,
	})
}
