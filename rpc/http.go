package rpc

import (
	"bytes"
	"context"
	"crypto/rand"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"agentleague/protocol"
	"agentleague/rpc/connlimit"
	"agentleague/rpc/wire"
)

// HTTP is the network between machines.
type HTTP struct {
	client   *http.Client // for requests other than plain HTTP
	targets  targets
	wires    wire.Pool
	maxBody  int64
	resolver *net.Resolver // nil: the system's
	office   Mailboxes     // nil: none
	*toolClient
}

// NewHTTP returns a network that limits answers to maxBody bytes and allows calls to this machine only.
func NewHTTP(maxBody int64) *HTTP { return newHTTP(Options{MaxBody: maxBody}) }

// newHTTP returns a network for a node. All dialers consult the guard before they connect. It uses no proxy and follows
// no redirects, except those of an MCP server to itself.
func newHTTP(o Options) *HTTP {
	conns := connlimit.Process
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		d := net.Dialer{Timeout: 5 * time.Second, Resolver: o.Resolver, Control: o.Guard.dialed(address).control}
		if strings.HasPrefix(address, "localhost:") {
			d.FallbackDelay = -1 // this machine answers or refuses at once: its two addresses need no race, which takes a stack each
		}
		return conns.Dial(ctx, &d, network, address)
	}
	transport := &http.Transport{
		DialContext:            dial,
		TLSClientConfig:        o.TLS.Clone(),
		TLSHandshakeTimeout:    5 * time.Second,
		MaxIdleConns:           4096,
		MaxIdleConnsPerHost:    64,
		IdleConnTimeout:        wire.MaxIdle,
		MaxResponseHeaderBytes: wire.MaxHeader,
		DisableCompression:     true,
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &HTTP{
		maxBody: o.MaxBody, resolver: o.Resolver, office: o.Mailboxes,
		wires: wire.Pool{
			Dial: func(ctx context.Context, address string) (net.Conn, error) {
				ctx, cancel := timed(ctx)
				defer cancel()
				return dial(ctx, "tcp", address)
			},
			Kept: conns.Keep, Taken: conns.Forget,
		},
		client: &http.Client{Transport: transport, CheckRedirect: stay},
		toolClient: &toolClient{
			transport: transport, most: o.MaxBody, credentials: o.Credentials, sessions: map[string]*toolSession{},
		},
	}
}

// NewNetwork returns a network with the given options that several nodes of one process can share, see
// [Options].Network. They share its connections and its sessions with MCP servers.
func NewNetwork(o Options) *HTTP {
	if o.MaxBody == 0 {
		o.MaxBody = defaultMaxBody
	}
	return newHTTP(o)
}

// defaultMaxBody is the default maximum size of a request or an answer in bytes.
const defaultMaxBody = 1 << 20

// Post sends body to an endpoint and returns the answer. Plain HTTP is handled by package wire on the caller's
// goroutine, TLS by net/http. It keeps no reference to body.
func (h *HTTP) Post(ctx context.Context, endpoint, _ string, body []byte) (status int, answer []byte, err error) {
	if _, ok := protocol.MailboxID(endpoint); ok && h.office != nil {
		ctx, cancel := timed(ctx)
		defer cancel()
		return h.office.Post(ctx, endpoint, bytes.Clone(body)) // a letter may outlive this call
	}
	to, err := h.targets.at(endpoint)
	if err != nil {
		return 0, nil, err
	}
	if to != nil {
		status, answer, err = h.wires.Post(ctx, to, body, h.maxBody)
	} else {
		status, answer, err = h.post(ctx, endpoint, body)
	}
	if status == http.StatusBadRequest && bytes.HasPrefix(answer, wantsTLS) { // the connection may be gone with it
		err = errWantsTLS
	}
	return status, answer, err
}

// post makes a call by net/http, for endpoints that package wire does not support.
func (h *HTTP) post(ctx context.Context, endpoint string, body []byte) (int, []byte, error) {
	ctx, cancel := timed(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint,
		bytes.NewReader(bytes.Clone(body))) // a transport may read it after its answer
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header["Idempotency-Key"] = nil // not sent; lets a call that met a connection just closed be made on a new one
	resp, err := h.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err := wire.ReadBody(resp, h.maxBody)
	return resp.StatusCode, answer, err
}

// Probe returns nil if any HTTP response comes from the agent's /health, whatever the status. The path /health is
// relative to the endpoint's, since several agents may share a port.
func (h *HTTP) Probe(ctx context.Context, endpoint string) error {
	if _, ok := protocol.MailboxID(endpoint); ok && h.office != nil {
		return h.office.Probe(endpoint)
	}
	u, err := parseEndpoint(endpoint)
	if err != nil {
		return err
	}
	folder, ours := strings.CutSuffix(u.Path, "/mcp")
	if !ours {
		folder = ""
	}
	u.Path, u.RawQuery = folder+"/health", ""
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	req.Close = true // nothing else goes there by this way
	resp, err := h.client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Under prepares for many calls under ctx, see [Node.Under].
func (h *HTTP) Under(ctx context.Context) { h.wires.Watch(ctx) }

// Sleep waits on the clock.
func (h *HTTP) Sleep(ctx context.Context, _ string, d time.Duration) error {
	deadline, ends := ctx.Deadline()
	ends = ends && time.Until(deadline) < d
	if ends {
		d = time.Until(deadline)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		if ends {
			return context.DeadlineExceeded
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Addresses returns nil for an agent with a mailbox, which is identified by its key (see [From]), and otherwise the
// addresses from which the agent at endpoint can call: the literal address, or those that its host name resolves to.
// "localhost" is returned as it is and stands for all loopback addresses. The caller must not change the slice.
func (h *HTTP) Addresses(ctx context.Context, endpoint string) []string {
	if known := h.targets.cached(endpoint); known != nil && known.from != nil {
		return known.from
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	if at := written(u); at != nil {
		return at
	}
	addrs, _ := h.resolver.LookupHost(ctx, u.Hostname()) // an unknown name has none
	return addrs
}

// Random fills b from the system's generator.
func (h *HTTP) Random(b []byte) { _, _ = rand.Read(b) }
