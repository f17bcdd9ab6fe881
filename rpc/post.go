package rpc

import (
	"net/http"

	"agentleague/rpc/gate"
)

// A Post is a request that the gate has read before net/http. Its slices are valid until it is answered.
type Post = gate.Post

// A PostHandler is a handler that can also answer a Post, exactly as its ServeHTTP would. If it declines, ServeHTTP gets
// the request. With any other handler, net/http alone serves the port.
type PostHandler = gate.Handler

// onceByHTTP makes net/http close a connection of this program's clients after one answer. A connection that net/http
// serves never returns to the faster package gate, so keeping it open would make all later requests on it three times
// as expensive.
func onceByHTTP(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.UserAgent() == gate.OwnAgent {
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(w, r)
	})
}
