package metrics

import (
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"agentleague/rpc"
)

// process is the figures of Go and of the process, which all agents in it share. They are many.
var process = sync.OnceValue(func() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
})

// An Agent is the figures of one agent.
type Agent struct {
	registry        *prometheus.Registry
	requests, calls *exchanges
}

// New returns the figures of an agent that has done nothing yet, with those of
// its process and of Go.
func New() *Agent {
	a := &Agent{
		registry: prometheus.NewRegistry(),
		requests: newExchanges("league_requests_total", "Requests answered, by what they ask for and how that ended."),
		calls:    newExchanges("league_calls_total", "Calls to other agents, by what they ask for and how that ended."),
	}
	a.registry.MustRegister(a.requests.vec, a.calls.vec)
	return a
}

// Watch returns the options of a node whose exchanges are counted and which
// shows the figures at /metrics.
func (a *Agent) Watch(o rpc.Options) rpc.Options {
	o.Served, o.Called, o.Metrics = a.requests.count, a.calls.count, a.Handler()
	return o
}

// Handler shows the figures.
func (a *Agent) Handler() http.Handler {
	return promhttp.HandlerFor(prometheus.Gatherers{a.registry, process()}, promhttp.HandlerOpts{})
}
