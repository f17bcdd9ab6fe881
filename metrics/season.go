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

// groups are all there are, so that none vanishes when nobody is in it.
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

// What is told of the season itself. It is read from the state when somebody asks, never counted twice.
var (
	resultsDesc = prometheus.NewDesc("league_results_recorded_total", "Results in the league's log.", nil, nil)
	agentsDesc  = prometheus.NewDesc("league_agents_registered", "Agents registered with the league, by role and state.",
		[]string{"role", "state"}, nil)
)

// season shows what the league's log says, at the moment it is asked.
type season struct{ read func() Season }

// Season adds the figures of a league to its manager's. Read is called whenever
// the figures are looked at: counting costs the league nothing, and since they
// are the log's they go on where they were after a restart. It is called once.
func (a *Agent) Season(read func() Season) { a.figures().MustRegister(season{read}) }

// Describe tells what Collect shows.
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
