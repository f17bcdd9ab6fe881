package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/protocol"
	"agentleague/rpc/wire"
)

// An mcpEndpoint is an address of an MCP server and the transport to use there.
type mcpEndpoint struct {
	url string
	old bool // HTTP with a separate stream, of 2024-11-05
}

// mcpEndpointsOf lists the addresses and transports to try for an endpoint, the likeliest first.
func mcpEndpointsOf(endpoint string) []mcpEndpoint {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil
	}
	at := func(path string) string { return placed(endpoint, path) }
	switch strings.TrimRight(u.Path, "/") {
	case "/mcp":
		return []mcpEndpoint{{endpoint, false}, {endpoint, true}, {at("/"), false}, {at("/sse"), true}}
	case "/sse":
		return []mcpEndpoint{{endpoint, true}, {endpoint, false}}
	case "":
		return []mcpEndpoint{{endpoint, false}, {endpoint, true}, {at("/mcp"), false}, {at("/sse"), true}}
	}
	below := strings.TrimRight(u.Path, "/") + "/mcp"
	return []mcpEndpoint{{endpoint, false}, {endpoint, true}, {at(below), false}}
}

// notHere are the HTTP statuses that mean that the requested path is no MCP endpoint; another path may be one.
var notHere = []int{
	http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable,
	http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
	http.StatusPermanentRedirect,
}

// open opens a session at the first MCP endpoint that accepts one. If none does, the error is that of the first.
func (c *toolClient) open(ctx context.Context, endpoint string) (s *toolSession, err error) {
	if _, err := parseEndpoint(endpoint); err != nil {
		return nil, err
	}
	for _, server := range mcpEndpointsOf(endpoint) {
		opened, status, wrong := c.openAt(ctx, endpoint, server)
		if wrong == nil {
			return opened, nil
		}
		if err == nil {
			err = wrong
		}
		if !slices.Contains(notHere, status) || ctx.Err() != nil {
			break
		}
	}
	return nil, explained(err)
}

// openAt tries to open a session at one MCP endpoint. It also returns the status of the last HTTP response, if any.
func (c *toolClient) openAt(ctx context.Context, endpoint string, server mcpEndpoint) (*toolSession, int, error) {
	origin, err := url.Parse(server.url)
	if err != nil {
		return nil, 0, err
	}
	trip := &toolTrip{RoundTripper: c.transport, origin: origin, most: c.most}
	if c.credentials != nil {
		trip.credentials = c.credentials(endpoint)
	}
	s, err := c.shakeHands(ctx, server, trip)
	status := int(trip.status.Load())
	if shown := !trip.credentials.IsZero(); err != nil && (status == http.StatusUnauthorized || status == http.StatusForbidden && shown) {
		err = wantsCredentials(status, shown)
	}
	return s, status, err
}

// wantsCredentials returns the error for a server that requires credentials. shown means that some were sent.
func wantsCredentials(status int, shown bool) error {
	why := "it asks for credentials"
	if shown {
		why = "it does not accept the credentials that it was sent"
	}
	return fmt.Errorf("%w%w", &protocol.Refusal{
		HTTPStatus: status, Message: fmt.Sprintf("%s (HTTP status %d)", why, status),
	}, silent{ErrWantsCredentials})
}

// patience is the timeout for the first event of the SSE transport: a peer that is no MCP server may never send one.
const patience = 5 * time.Second

// shakeHands opens a session at an MCP endpoint and lists its tools. The session does not end with ctx.
// Server-initiated requests are refused at once, see [notSupported].
func (c *toolClient) shakeHands(ctx context.Context, server mcpEndpoint, trip *toolTrip) (*toolSession, error) {
	client := &http.Client{Transport: trip, CheckRedirect: onlyToItself}
	lasting, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, end)
	defer stop()
	var transport mcp.Transport = &mcp.StreamableClientTransport{
		Endpoint: server.url, HTTPClient: client, MaxEventSize: int(c.most),
	}
	if server.old {
		late := time.AfterFunc(patience, end)
		defer late.Stop()
		transport = lastingTransport{&mcp.SSEClientTransport{
			Endpoint: server.url, HTTPClient: client, MaxEventSize: int(c.most),
		}, lasting}
	}
	opened, err := NewToolClient().Connect(ctx, transport, nil)
	if err != nil {
		end()
		return nil, err
	}
	s := &toolSession{ClientSession: opened, at: server.url, trip: trip, end: end}
	if err := s.list(ctx); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// NewToolClient returns a client for MCP servers that only calls their tools. It refuses requests of a server, such as
// one to sample its user's model, at once, so that the server's tool need not wait for its timeout.
func NewToolClient() *mcp.Client {
	client := mcp.NewClient(&mcp.Implementation{Name: "league", Version: protocol.Release},
		&mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if what := notSupported[method]; what != "" { // the SDK has its own text for the code of an unknown method
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: what + " is not supported: a league only calls tools"}
			}
			return next(ctx, method, req)
		}
	})
	return client
}

// notSupported maps the methods of refused server-initiated MCP requests to their purposes for the error text.
var notSupported = map[string]string{
	"sampling/createMessage": "sampling", "elicitation/create": "elicitation", "roots/list": "listing roots",
}

// A lastingTransport connects with a stored context, so that the session does not end with the call that opens it.
type lastingTransport struct {
	mcp.Transport
	lasting context.Context
}

// Connect connects with the stored context instead of the given one.
func (t lastingTransport) Connect(context.Context) (mcp.Connection, error) {
	return t.Transport.Connect(t.lasting)
}

// onlyToItself allows only redirects to the same address with or without a trailing slash.
func onlyToItself(req *http.Request, via []*http.Request) error {
	from := via[len(via)-1].URL
	if len(via) > 2 || req.URL.Scheme != from.Scheme || req.URL.Host != from.Host || req.Method != via[0].Method ||
		strings.TrimRight(req.URL.Path, "/") != strings.TrimRight(from.Path, "/") {
		return http.ErrUseLastResponse
	}
	return nil
}

// A toolTrip is the HTTP transport of one session. It calls only the session's server, adds the credentials, records the
// status of the newest response, and fails on answers that are too large.
type toolTrip struct {
	http.RoundTripper
	origin      *url.URL
	credentials Credentials
	most        int64
	status      atomic.Int64
	gone        atomic.Int64 // the status with which the server refused the session's id; 0: it has not
	cut         atomic.Bool  // a connection ended before the response to a call
	large       atomic.Bool  // an answer was too large
}

// RoundTrip makes one request.
func (t *toolTrip) RoundTrip(req *http.Request) (*http.Response, error) {
	session := req.Header.Get(sessionHeader)
	if req.URL.Scheme != t.origin.Scheme || req.URL.Host != t.origin.Host {
		return nil, fmt.Errorf("it sends us to %s, which is another server", protocol.Clip(req.URL.Host, 80))
	}
	if opensStream(req) {
		return t.listen(req), nil
	}
	resp, err := t.RoundTripper.RoundTrip(t.credentials.sign(req))
	call := req.Method == http.MethodPost
	if err != nil {
		t.cut.Store(t.cut.Load() || call && req.Context().Err() == nil && !dialing(err))
		return nil, err
	}
	t.status.Store(int64(resp.StatusCode))
	if session != "" && call && slices.Contains(sessionGone, resp.StatusCode) {
		t.gone.Store(int64(resp.StatusCode))
		// The SDK would use a JSON-RPC error in the body as the answer to the call.
		_ = resp.Body.Close()
		resp.StatusCode, resp.Body, resp.ContentLength = http.StatusNotFound, http.NoBody, 0
		return resp, nil
	}
	if streams := req.Method == http.MethodGet && resp.StatusCode == http.StatusOK; !streams { // events have their own bound
		resp.Body = &boundedBody{ReadCloser: resp.Body, left: t.most, most: t.most, over: &t.large}
	}
	return resp, nil
}

// sessionGone are the HTTP statuses with which servers refuse an unknown session id: 404 by the specification, 400 from
// servers that take the request for one before the handshake.
var sessionGone = []int{http.StatusBadRequest, http.StatusNotFound, http.StatusGone}

// A boundedBody is a response body with a maximum size.
type boundedBody struct {
	io.ReadCloser
	left, most int64
	over       *atomic.Bool // is set if the body exceeds the limit
}

// Read fails if the body exceeds the limit. It reads one byte beyond the limit, to distinguish a body of exactly that
// size.
func (b *boundedBody) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		b.over.Store(true)
		return 0, wire.TooLarge(b.most)
	}
	return n, err
}

// ErrWantsCredentials means that a server requires credentials, or other ones than those that were sent.
var ErrWantsCredentials = errors.New("it requires credentials")

// A silent error is matched by [errors.Is] but its text is not shown.
type silent struct{ error }

func (s silent) Error() string { return "" }
func (s silent) Unwrap() error { return s.error }
