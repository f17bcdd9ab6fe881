// Package gate answers plain POSTs in front of net/http, on the same port.
//
// A match consists of a dozen POSTs between agents that all write them alike. The gate reads such a request, calls a
// [Handler] and writes the answer, with one goroutine per connection, without a header map and with a single write. All
// other requests go to net/http:
//
//	connection ──▶ is the next request plain, and whole? ──yes──▶ Handler ──▶ answer ──▶ the next request
//	                              │no                       │no, it is not for me
//	                              ▼                         ▼
//	                net/http gets the connection, with every byte that was read, for good
//
// It fails closed: net/http gets every request that is in doubt. A request that the gate accepts as plain is one that
// net/http would have read in the same way (a fuzz test compares them). A handler and a client see these differences:
//
//   - The context of a plain request ends up to 20 ms after the client has disconnected, and only if the handler waits
//     for Done; net/http begins to watch at once. Once a pipelined request has begun to arrive, neither watches.
//   - A plain request is limited to 4 KiB of head and 64 KiB in total. Larger ones go to net/http, whose limits apply.
//   - The headers of a plain request other than Host and Authorization are checked and not kept.
//   - An answer has Content-Type, Cache-Control, Connection, Date and Content-Length in the order
//     in which the gate writes them. It is written whole: there is no chunked answer, no flush and no trailer.
//   - A deadline is set again only after an eighth of its duration has passed: a timeout can be an eighth shorter.
//   - [Gate].ConnState: a connection is active when a whole request has arrived, and hijacked when net/http gets it.
//   - A connection that net/http got stays there. [OwnAgent] is for servers that close it after one answer, so that our
//     own clients use the gate with their next connection.
package gate
