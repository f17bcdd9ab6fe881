package rpc

import (
	"cmp"
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"time"

	"agentleague/protocol"
)

// Options are the parts of a node that have defaults.
type Options struct {
	Network    Network       // default: HTTP
	Logger     *slog.Logger  // default: silent
	Strict     bool          // refuse messages with an incomplete envelope
	MaxBody    int64         // bytes of a request or an answer; default 1 MiB
	MaxWaiting int           // answers waited for at once; default 65,536
	Observe    func(Message) // told of every message sent and received, by many goroutines
	// Unreadable is told of every message that is refused because it cannot be read. None: nobody is.
	Unreadable func(ctx context.Context, from From, t protocol.Type, body []byte, err error)
	Metrics    http.Handler // answers GET /metrics; default: there is no such page

	// Hosts are names by which it is reached besides localhost and its address; requests for others are refused.
	Hosts []string

	// Public is the address at which others reach it through a proxy: whoever comes by that is an [Outsider],
	// and counted by what a proxy on this machine tells of its callers.
	Public string

	// Deadlines are how long answers may take, by the message that they answer, where that is not what the protocol says.
	// A caller's context counts before them.
	Deadlines map[protocol.Type]time.Duration

	// Challenge refuses calls of tools before they are made, for want of a token. Nil: every call is made.
	Challenge Challenger

	// Furnish is called once, before the node answers its first request of MCP: what an owner adds to [Node.MCP] takes a
	// hundred times the memory of the node, and most nodes are never spoken to in MCP. None: nothing is added.
	Furnish func()

	// Forward has another process answer a call of one of the node's own tools, if it is for that one. The body is the
	// call as a request of league.v2, and so is the answer. It is not ok for a call that this node answers. None: it
	// answers all.
	Forward func(ctx context.Context, from From, body []byte) (answer []byte, ok bool)

	SystemID string // of the installation that the agent belongs to, told at /health; "": none

	Limits   Limits        // how much it takes of others in a second
	Guard    Guard         // whom the node may call; default: this machine
	TLS      *tls.Config   // how it looks at the certificates of those it calls by https; default: as the system does
	Resolver *net.Resolver // what it looks up names with; default: the system's

	// Bearer returns the token that the MCP server at an endpoint wants to be shown; "": none. It is asked when a session
	// is opened, and the token goes to that server alone. None: no server is shown any.
	Bearer func(endpoint string) string

	// Served is told of every request before its answer goes out, Called of every
	// call when it has ended; both by many goroutines. The type is one of the
	// protocol's table, and empty for a request that asks for nothing which this
	// agent takes; the outcome is one of [Outcomes].
	Served, Called func(t protocol.Type, outcome string)

	// Retries is called before each further try of [Node.CallUntil], with the error of the try before.
	Retries func(t protocol.Type, err error)
}

// deadline returns how long the answer to a message may take.
func (o *Options) deadline(spec protocol.Spec) time.Duration {
	return cmp.Or(o.Deadlines[spec.Type], spec.Deadline)
}
