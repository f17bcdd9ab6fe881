package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// ServeLeagues serves the figures of several managers in one process on one page, each with the label league_id, and
// those of Go and of the process once. A scraper sees leagues that open or close without a configuration change.
func ServeLeagues(w http.ResponseWriter, r *http.Request, of map[string]*Agent) {
	all := prometheus.NewRegistry()
	for id, a := range of {
		// It fails only for two of one name, which a map does not have.
		_ = prometheus.WrapRegistererWith(prometheus.Labels{"league_id": id}, all).Register(a.figures())
	}
	promhttp.HandlerFor(prometheus.Gatherers{all, process()}, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}
