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
// It fails closed. A request that the gate takes for plain, net/http would have read as the very same request (a fuzz
// test compares them); net/http gets every request that is in doubt. A handler and a client see these differences:
//
//   - The context of a plain request ends up to 20 ms after the client has hung up, and only if the handler waits for
//     Done; net/http begins to watch at once. Once a pipelined request has begun to arrive, neither watches.
//   - A plain request is limited to 4 KiB of head and 64 KiB in total; net/http gets larger ones, and its limits hold.
//   - The headers of a plain request other than Host and Authorization are checked and not kept.
//   - An answer has status 200 or 202, and Content-Type, Cache-Control, Connection, Date and Content-Length in the order
//     in which the gate writes them. It is written whole: there is no chunked answer, no flush and no trailer.
//   - A deadline is set anew only when an eighth of its time has passed: a timeout can be an eighth shorter.
//   - [Gate].ConnState: a connection is active when a whole request has come, and hijacked when net/http gets it.
//   - A connection that net/http got stays there. [OwnAgent] is for servers that end it after one answer, so that our own
//     clients come to the gate with their next connection.
package gate
