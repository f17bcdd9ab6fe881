package rpc

import (
	"cmp"
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
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
	Observe    func(Message) // is called with every message sent and received, concurrently
	// Unreadable is called with every message that is refused because it cannot be read. It may be nil.
	Unreadable func(ctx context.Context, from From, t protocol.Type, body []byte, err error)
	Metrics    http.Handler // answers GET /metrics and /metrics/leagues; default: there are no such pages

	// Hosts are names by which it is reached besides localhost and its address; requests for others are refused.
	Hosts []string

	// Scrapers are the networks that may read metrics; see [HostCheck].
	Scrapers []netip.Prefix

	// Public is the address at which clients reach it through a proxy: requests to it come from an [Outsider], and
	// are counted by the header of a proxy on this machine.
	Public string

	// Deadlines are timeouts for answers, by the message that they answer, overriding the protocol's. A caller's
	// context takes precedence.
	Deadlines map[protocol.Type]time.Duration

	// Challenge refuses calls of tools before they are made, for want of a token. Nil: every call is made.
	Challenge Challenger

	// Furnish is called once, before the node answers its first MCP request: additions to [Node.MCP] take a hundred
	// times the memory of the node, and most nodes are never used over MCP. It may be nil.
	Furnish func()

	// Forward has another process answer a call of one of the node's own tools, if it is for that one. The body is the
	// call as a request of league.v2, and so is the answer. It is not ok for a call that this node answers. None: it
	// answers all.
	Forward func(ctx context.Context, from From, body []byte) (answer []byte, ok bool)

	SystemID string // of the installation of the agent, shown at /health; "": none

	Limits   Limits        // its rate limits
	Guard    Guard         // the allowed targets of calls; default: this machine
	TLS      *tls.Config   // for https calls; default: the system's
	Resolver *net.Resolver // default: the system's

	// Bearer returns the token that the MCP server at an endpoint wants to be shown; "": none. It is asked when a session
	// is opened, and the token goes to that server alone. None: no server is shown any.
	Bearer func(endpoint string) string

	// Served is called with every request before its answer is sent, Called with every finished call; both
	// concurrently. The type is one of the protocol's table, and empty for a request without a handler; the outcome
	// is one of [Outcomes].
	Served, Called func(t protocol.Type, outcome string)

	// Retries is called before each further try of [Node.CallUntil], with the error of the try before.
	Retries func(t protocol.Type, err error)
}

// deadline returns how long the answer to a message may take.
func (o *Options) deadline(spec protocol.Spec) time.Duration {
	return cmp.Or(o.Deadlines[spec.Type], spec.Deadline)
}
