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

	"agentleague/dialect/profile"
	"agentleague/protocol"
)

// Options configures a node. Zero values select the defaults.
type Options struct {
	Network    Network          // default: HTTP
	Logger     *slog.Logger     // default: silent
	Strict     bool             // refuse messages that break a rule of the documents
	Profile    *profile.Speaker // the wire format of messages to third-party agents; nil: the default
	MaxBody    int64            // bytes of a request or an answer; default 1 MiB
	MaxWaiting int              // answers waited for at once; default 65,536
	Observe    func(Message)    // is called with every message sent and received, concurrently
	// Whose returns the agent that sent a request, from the request's sender field and token; certain is false if
	// another client could have sent it. It is called, in strict mode, for requests that break a rule. If nil, the
	// sender field is used.
	Whose func(from From, sender, token string) (agent string, certain bool)
	// Unreadable is called with each message that is refused because it cannot be decoded. It may be nil.
	Unreadable func(ctx context.Context, from From, t protocol.Type, body []byte, err error)
	Metrics    http.Handler // answers GET /metrics and /metrics/leagues; default: there are no such pages

	// Hosts are host names of the node besides localhost and its address. Requests for other hosts are refused.
	Hosts []string

	// Scrapers are the networks that may read metrics; see [HostCheck].
	Scrapers []netip.Prefix

	// Public is the node's public address, at a reverse proxy. Requests to this address count as coming from an
	// [Outsider]; their rate limit is by the client address in the proxy's header, if the proxy is on this machine.
	Public string

	// Deadlines are the timeouts for answers, by the type of the request. They override the protocol's. A deadline of
	// the caller's context takes precedence.
	Deadlines map[protocol.Type]time.Duration

	// Challenge refuses tool calls that lack a token, before the tool runs. A nil Challenge refuses none.
	Challenge Challenger

	// Furnish adds the owner's tools to [Node.MCP]. It is called once, before the first MCP request, since they take a
	// hundred times the memory of the node and most nodes are never used over MCP. It may be nil.
	Furnish func()

	// Forward lets another process answer a tool call. body is the call as a league.v2 request, answer the league.v2
	// response. If ok is false, this node answers. A nil Forward forwards nothing.
	Forward func(ctx context.Context, from From, body []byte) (answer []byte, ok bool)

	Mailboxes Mailboxes // of agents that cannot be called; nil: none

	SystemID string // of the installation of the agent, shown at /health; "": none

	Limits   Limits        // its rate limits
	Guard    Guard         // the allowed targets of calls; default: this machine
	TLS      *tls.Config   // for https calls; default: the system's
	Resolver *net.Resolver // default: the system's

	// Credentials returns the credentials for the MCP server at an endpoint. It is called when a session is opened; they
	// are sent only to that server. With nil none are sent.
	Credentials func(endpoint string) Credentials

	// Served is called for each request before its answer is sent, Called after each call; both are called
	// concurrently. The type is "" for a request without a handler; the outcome is one of [Outcomes].
	Served, Called func(t protocol.Type, outcome string)

	// Retries is called before each retry of [Node.CallUntil], with the error of the previous try.
	Retries func(t protocol.Type, err error)
}

// deadline returns the timeout for the answer to a message.
func (o *Options) deadline(spec protocol.Spec) time.Duration {
	return cmp.Or(o.Deadlines[spec.Type], spec.Deadline)
}
