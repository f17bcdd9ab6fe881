package rpc

import (
	"net/http"

	"agentleague/rpc/gate"
)

// Package gate reads requests of this program's agents before net/http and offers them to the handler of the port,
// which must answer them exactly as its ServeHTTP would.

// A Post is a request that package gate has read. Its slices are valid until it is answered.
type Post = gate.Post

// A PostHandler is a handler that can also answer a Post. If it declines, ServeHTTP gets the request. With any other
// handler, net/http alone serves the port.
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
