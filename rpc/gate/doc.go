// Package gate answers plain POSTs in front of net/http, on the same port.
//
// A match is a dozen POSTs between agents that all write them alike. The gate reads such a request, has a [Handler]
// answer it and writes the answer, on one goroutine a connection, without a map of headers and in one write. All else
// is for net/http:
//
//	connection ──▶ is the next request plain, and whole? ──yes──▶ Handler ──▶ answer ──▶ the next request
//	                              │no                       │no, it is not for me
//	                              ▼                         ▼
//	                net/http gets the connection, with every byte that was read, for good
//
// It fails closed. What it takes for a plain request, net/http would have read as the very same request (the fuzz test
// holds it to that); whatever is in doubt, net/http looks at. A client can tell the two apart by nothing but time.
package gate
