package server

import (
	"net/http"

	"agentleague/metrics"
	"agentleague/rpc"
)

// figuresPath serves the metrics of all leagues that are open here, for scraping.
const figuresPath = "/metrics/leagues"

// serveFigures answers requests for figuresPath, and reports whether the request was one.
func serveFigures(s *Server, w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path != figuresPath {
		return false
	}
	rpc.HostCheck{Hosts: s.env.Net.Names()}.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "GET the figures of all leagues here", http.StatusMethodNotAllowed)
			return
		}
		of := map[string]*metrics.Agent{}
		for _, l := range s.Leagues.Running() {
			of[l.ID()] = l.figures
		}
		metrics.ServeLeagues(w, r, of)
	})).ServeHTTP(w, r)
	return true
}
