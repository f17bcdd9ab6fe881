package server

import (
	"fmt"
	"net/http"
	"strings"

	"agentleague/metrics"
)

// The probes for orchestrators and load balancers:
//
//	/livez     200 as long as the process answers at all; if it does not, restart it
//	/readyz    200 when requests can be served; 503 with a line for each part that is not ready
//
// Any client may request them, under any host name, so their answers contain no file names and no host names.

// Opened marks the server ready: all leagues to be opened at the start are open.
func (s *Server) Opened() { s.allOpen.Store(true) }

// A lack is a part of the server that is not ready, with the reason.
type lack struct{ part, why string }

// lacks lists the parts that are not ready; empty means ready.
func lacks(s *Server) (out []lack) {
	if s.Leagues.isShut() {
		out = append(out, lack{"process", "the manager is shutting down and starts no further matches"})
	}
	if !s.allOpen.Load() {
		out = append(out, lack{"leagues", "the leagues are still being opened"})
	}
	if err := s.placement.Healthy(); err != nil {
		out = append(out, lack{"cluster", err.Error()})
	}
	for _, l := range s.Leagues.Running() {
		switch {
		case l.Manager.Away() != "":
			out = append(out, lack{"log", fmt.Sprintf("the log of %s is not where it was; put it back as it was", l.ID())})
		case l.Manager.Resting() != "":
			out = append(out, lack{"log", fmt.Sprintf("nothing can be written for %s: there is no room; free some space", l.ID())})
		}
	}
	return out
}

// serveProbe answers /livez and /readyz of a server, and reports whether the request was one of them.
func serveProbe(s *Server, w http.ResponseWriter, r *http.Request) bool {
	var missing []lack
	switch r.URL.Path {
	case "/livez":
	case "/readyz":
		missing = lacks(s)
	default:
		return false
	}
	if !onlyRead(w, r, "GET "+r.URL.Path) {
		return true
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if len(missing) == 0 {
		_, _ = fmt.Fprintln(w, "ok")
		return true
	}
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write([]byte(notReadyText(missing)))
	return true
}

// notReadyText returns the body of a failed readiness probe: one line for each component that is not ready.
func notReadyText(missing []lack) string {
	var b strings.Builder
	b.WriteString("not ready\n")
	for _, m := range missing {
		fmt.Fprintf(&b, "%s: %s\n", m.part, m.why)
	}
	return b.String()
}

// serveFigures serves the metrics of all agents of the process. It reports whether the request was for them.
func serveFigures(s *Server, w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path != metrics.AllPath {
		return false
	}
	s.env.HostCheck().Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if onlyRead(w, r, "GET the figures of all leagues here") {
			s.env.Net.Figures.ServeHTTP(w, r)
		}
	})).ServeHTTP(w, r)
	return true
}

// onlyRead reports whether the request is GET or HEAD. For other methods it sends status 405 with the text hint.
func onlyRead(w http.ResponseWriter, r *http.Request, hint string) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	http.Error(w, hint, http.StatusMethodNotAllowed)
	return false
}
