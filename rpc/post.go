package rpc

import (
	"net/http"

	"agentleague/rpc/gate"
)

// Requests of our own agents are read by the gate before net/http (package gate), which then offers them to the
// handlers of a port. A handler must treat a request exactly as its ServeHTTP would.

// A Post is a request as the gate has read it. Its slices are valid until it is answered.
type Post = gate.Post

// A PostHandler is a handler that also answers a Post, or declines it: ServeHTTP gets it then. A port with any other
// handler is served by net/http alone.
type PostHandler = gate.Handler

// onceByHTTP has net/http answer one request of our own clients on a connection, and then end it. A connection does not
// come back from net/http to the gate, and they keep theirs for all that follows: a registration, which is not plain,
// would make every later exchange on it three times as expensive.
func onceByHTTP(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.UserAgent() == gate.OwnAgent {
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(w, r)
	})
}
