package metrics_test

import (
	"testing"

	"agentleague/metrics"
	"agentleague/protocol"
)

func TestSeasonIsReadWhenItIsLookedAt(t *testing.T) {
	a := metrics.New()
	now := metrics.Season{}
	a.Season(func() metrics.Season { return now })
	check(t, figures(t, a), map[string]float64{
		`league_results_recorded_total`: 0, `league_agents_registered{role="referee",state="ACTIVE"}`: 0,
	})
	now = metrics.Season{
		Results: 7, Agents: map[metrics.Group]int{{Role: protocol.RolePlayer, State: protocol.AgentSuspended}: 2},
	}
	got := figures(t, a)
	check(t, got, map[string]float64{
		`league_results_recorded_total`: 7, `league_agents_registered{role="player",state="SUSPENDED"}`: 2,
	})
	if sum := got.Sum("league_agents_registered"); sum != 2 {
		t.Errorf("there are %v agents, want 2", sum)
	}
}
