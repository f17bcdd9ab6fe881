package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"agentleague/protocol"
)

// A Season is how far a league is.
type Season struct {
	Results int           // that are recorded
	Agents  map[Group]int // that are registered
}

// A Group is the agents of one role in one state.
type Group struct {
	Role  protocol.Role
	State string
}

// groups are all states, so that a state with no agents is still reported.
func groups() (out []Group) {
	for _, role := range []protocol.Role{protocol.RolePlayer, protocol.RoleReferee} {
		for _, state := range []string{
			protocol.AgentRegistered, protocol.AgentActive, protocol.AgentSuspended, protocol.AgentShutdown,
		} {
			out = append(out, Group{role, state})
		}
	}
	return out
}

// Descriptions of the figures of a season. They are read from the state at each scrape, never counted twice.
var (
	resultsDesc = prometheus.NewDesc("league_results_recorded_total", "Results in the league's log.", nil, nil)
	agentsDesc  = prometheus.NewDesc("league_agents_registered", "Agents registered with the league, by role and state.",
		[]string{"role", "state"}, nil)
)

// season reports the state of the league at each scrape.
type season struct{ read func() Season }

// Season adds the figures of a league to its manager's. read is called at each scrape: counting costs the league
// nothing, and since the figures come from the log they survive a restart. Season must be called once.
func (a *Agent) Season(read func() Season) { a.figures().MustRegister(season{read}) }

// Describe implements [prometheus.Collector].
func (s season) Describe(out chan<- *prometheus.Desc) {
	out <- resultsDesc
	out <- agentsDesc
}

// Collect shows the season.
func (s season) Collect(out chan<- prometheus.Metric) {
	now := s.read()
	out <- prometheus.MustNewConstMetric(resultsDesc, prometheus.CounterValue, float64(now.Results))
	for _, g := range groups() {
		out <- prometheus.MustNewConstMetric(agentsDesc, prometheus.GaugeValue, float64(now.Agents[g]),
			string(g.Role), g.State)
	}
}
