package rpc

import "agentleague/rpc/gate"

// What one of our own agents sends is read by the gate before net/http (package gate), which then asks the handlers of a
// port whether they answer it. Each of them has to do with a request just what its ServeHTTP would.

// A Post is a request as the gate has read it. Its slices are valid until it is answered.
type Post = gate.Post

// A PostHandler is a handler that also answers a Post, or reports that it does not: ServeHTTP gets it then. A port whose
// handler is none is served by net/http alone.
type PostHandler = gate.Handler
