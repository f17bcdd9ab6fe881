package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"agentleague/protocol"
)

// A Referee is the figures that only a referee has. It is its Meter.
type Referee struct {
	open     prometheus.Gauge
	duration prometheus.Histogram
	matches  *prometheus.CounterVec
	forfeits *prometheus.CounterVec
	tries    map[protocol.Type]prometheus.Counter
	agent    map[protocol.Type]prometheus.Observer
	overhead map[protocol.Type]prometheus.Observer
}

// questions are the messages by which a referee asks players.
var questions = []protocol.Type{protocol.TypeGameInvitation, protocol.TypeChooseParityCall, protocol.TypeGameMoveCall}

// givenUp is the status of a match that has no record.
const givenUp = "GIVEN_UP"

// Referee adds the figures of a referee to the agent's. It is called once.
func (a *Agent) Referee() *Referee {
	r := &Referee{
		open: prometheus.NewGauge(prometheus.GaugeOpts{Name: "league_matches_open", Help: "Matches being played now."}),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "league_match_duration_seconds", Help: "Time from a match's start to its record, of matches on record.",
			Buckets: []float64{.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 120, 300},
		}),
		matches: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "league_matches_total", Help: "Matches that are over, by status.",
		}, []string{"status"}),
		forfeits: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "league_forfeits_total", Help: "Technical losses of players, by cause.",
		}, []string{"error_code"}),
		tries:    map[protocol.Type]prometheus.Counter{},
		agent:    map[protocol.Type]prometheus.Observer{},
		overhead: map[protocol.Type]prometheus.Observer{},
	}
	tries := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "league_tries_total", Help: "Questions to " +
		"players, each try counted."}, []string{"message_type"})
	agent := histogram("league_agent_seconds", "Time that players took to answer, or were waited for; it includes "+
		"the network and excludes the referee's own delay.")
	overhead := histogram("league_overhead_seconds", "Time by which the referee itself delayed a try, because its "+
		"process stood still or was not ready.")
	for _, q := range questions {
		r.tries[q] = tries.WithLabelValues(string(q))
		r.agent[q] = agent.WithLabelValues(string(q))
		r.overhead[q] = overhead.WithLabelValues(string(q))
	}
	for _, status := range []string{protocol.Win, protocol.Draw, protocol.TechnicalLoss, givenUp} {
		r.matches.WithLabelValues(status)
	}
	for _, cause := range protocol.ForfeitCodes() {
		r.forfeits.WithLabelValues(cause)
	}
	a.figures().MustRegister(r.open, r.duration, r.matches, r.forfeits, tries, agent, overhead)
	return r
}

// histogram is one of times by question, from a tenth of a millisecond on.
func histogram(name, help string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: name, Help: help, Buckets: []float64{
			.0001, .0002, .0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30,
		},
	}, []string{"message_type"})
}

// Began counts a match that is open.
func (r *Referee) Began() { r.open.Inc() }

// Asked counts a try.
func (r *Referee) Asked(question protocol.Type) {
	if c := r.tries[question]; c != nil {
		c.Inc()
	}
}

// Tried records the duration of a try.
func (r *Referee) Tried(question protocol.Type, agent, overhead time.Duration) {
	if h := r.agent[question]; h != nil {
		h.Observe(agent.Seconds())
		r.overhead[question].Observe(overhead.Seconds())
	}
}

// Ended counts a finished match, and its forfeits.
func (r *Referee) Ended(took time.Duration, result *protocol.GameResult) {
	r.open.Dec()
	if result == nil {
		r.matches.WithLabelValues(givenUp).Inc()
		return
	}
	r.duration.Observe(took.Seconds())
	r.matches.WithLabelValues(result.Status).Inc()
	for _, code := range result.Forfeits {
		r.forfeits.WithLabelValues(code).Inc()
	}
}
