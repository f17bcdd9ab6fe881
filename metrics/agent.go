package metrics

import (
	"net/http"
	"sync"
	"sync/atomic"

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
	requests, calls exchanges
	all             atomic.Pointer[Agents] // those of the process; nil: the agent was not added to any

	mu       sync.Mutex
	registry *prometheus.Registry // nil: only the two figures above, before the first scrape
}

// New returns the figures of a new agent, with those of its process and of Go. Before the first scrape they take
// almost no memory.
func New() *Agent {
	return &Agent{requests: exchanges{shown: requests}, calls: exchanges{shown: calls}}
}

// Watch returns the options of a node that counts its exchanges and serves the figures at /metrics.
func (a *Agent) Watch(o rpc.Options) rpc.Options {
	o.Served, o.Called, o.Metrics = a.requests.count, a.calls.count, a
	return o
}

// Handler shows the figures.
func (a *Agent) Handler() http.Handler { return a }

// ServeHTTP shows the figures; at AllPath, those of all agents of the process.
func (a *Agent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == AllPath {
		if all := a.all.Load(); all != nil {
			all.ServeHTTP(w, r)
			return
		}
		http.NotFound(w, r)
		return
	}
	all := prometheus.Gatherers{a.figures(), process()}
	promhttp.HandlerFor(all, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}

// figures is where the agent's own figures are registered.
func (a *Agent) figures() *prometheus.Registry {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.registry == nil {
		a.registry = prometheus.NewRegistry()
		a.registry.MustRegister(&a.requests, &a.calls)
	}
	return a.registry
}
