package metrics

import (
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// AllPath serves the figures of all managers and referees of a process.
const AllPath = "/metrics/leagues"

// Agents serves the figures of several agents of one process on one page, each with the labels league_id and agent,
// and those of Go and of the process once. A scraper sees agents that come or go without a configuration change. The
// zero value is ready, and safe for concurrent use.
type Agents struct {
	mu    sync.Mutex
	shown map[*Agent]prometheus.Labels
}

// Add shows the figures of an agent in a league until remove is called. The agent's own handler then serves the page at
// AllPath.
func (all *Agents) Add(league, agent string, a *Agent) (remove func()) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.shown == nil {
		all.shown = map[*Agent]prometheus.Labels{}
	}
	all.shown[a] = prometheus.Labels{"league_id": league, "agent": agent}
	a.all.Store(all)
	return func() {
		all.mu.Lock()
		defer all.mu.Unlock()
		delete(all.shown, a)
	}
}

// ServeHTTP shows the figures.
func (all *Agents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	promhttp.HandlerFor(prometheus.Gatherers{all.figures(), process()}, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}

// figures registers the figures of all agents under their labels.
func (all *Agents) figures() *prometheus.Registry {
	all.mu.Lock()
	defer all.mu.Unlock()
	registry := prometheus.NewRegistry()
	for a, labels := range all.shown {
		// It fails only for two agents with the same labels; a league has each id once.
		_ = prometheus.WrapRegistererWith(labels, registry).Register(a.figures())
	}
	return registry
}
