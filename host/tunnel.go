package host

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"agentleague/mailbox"
	"agentleague/rpc"
)

// A tunnel connects an agent with a manager that cannot call it, through a mailbox. The agent opens the connection.
//
//	agent ── calls to the manager ─▶ link ─▶ manager
//	agent ◀─ letters ◀────────────── link ◀─ manager, also for referees
type tunnel struct {
	trust   *tls.Config  // with which the agent calls; nil: as the system does
	letters http.Handler // answers the letters

	mu      sync.Mutex
	manager string // at which the mailbox is open
	link    *mailbox.Link
}

// open opens the mailbox of a key, and returns its endpoint. note is called with a sentence at each change of the
// connection.
func (t *tunnel) open(ctx context.Context, manager string, key ed25519.PrivateKey, note func(string)) (endpoint string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.link != nil && t.manager == manager {
		return t.link.Endpoint(), nil
	}
	if t.link != nil {
		t.link.Close()
		t.link = nil
	}
	letters := letterHandler{Agent: t.letters, Peer: callerOf(manager)}
	link, err := mailbox.Dial(context.WithoutCancel(ctx), mailbox.Config{
		Manager: manager, Key: key, Deliver: letters.deliver, Client: TunnelClient(t.trust),
		Report: func(e mailbox.Event) { note(TunnelNote(manager, e)) },
	})
	if err != nil {
		return "", err
	}
	t.manager, t.link = manager, link
	return link.Endpoint(), nil
}

// to returns the open link to a manager, or nil.
func (t *tunnel) to(manager string) *mailbox.Link {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.link == nil || t.manager != manager {
		return nil
	}
	return t.link
}

// close closes the mailbox, if it is open.
func (t *tunnel) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.link != nil {
		t.link.Close()
		t.link = nil
	}
}

// TunnelClient returns a client for the connection of a mailbox. trust has the CA certificates; nil: the system's.
func TunnelClient(trust *tls.Config) *http.Client {
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: trust.Clone(), DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		TLSHandshakeTimeout: 5 * time.Second,
	}}
}

// TunnelNote describes a change of the connection with a manager.
func TunnelNote(manager string, e mailbox.Event) string {
	if e.Connected {
		return "connected with the mailbox at " + manager
	}
	if e.Retry == 0 {
		return "the connection with the mailbox at " + manager + " has ended" + reason(e.Err)
	}
	return "the connection with the mailbox at " + manager + " is lost, retrying in " + e.Retry.Round(100*time.Millisecond).String() +
		reason(e.Err)
}

// reason returns an error as the end of a sentence.
func reason(err error) string {
	if err == nil {
		return ""
	}
	return ": " + rpc.Unreached(err)
}

// A tunnelNetwork is the network of an agent with a tunnel: calls to its manager go through the mailbox once that is
// open.
type tunnelNetwork struct {
	*rpc.HTTP
	tunnel *tunnel
}

// Post implements [rpc.Network].
func (n *tunnelNetwork) Post(ctx context.Context, endpoint, label string, body []byte) (int, []byte, error) {
	link := n.tunnel.to(endpoint)
	if link == nil {
		return n.HTTP.Post(ctx, endpoint, label, body)
	}
	if deadline, ok := ctx.Deadline(); ok { // Done may not be closed then, see [rpc.Within]
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline)
		defer cancel()
	}
	answer, err := link.Send(ctx, bytes.Clone(body))
	switch {
	case err != nil:
		return 0, nil, err
	case answer.Error != "":
		return http.StatusBadGateway, []byte(answer.Error), nil
	case answer.Status == 0:
		answer.Status = http.StatusOK
	}
	return answer.Status, answer.Body, nil
}

// A letterHandler passes letters to an agent in this process.
type letterHandler struct {
	Agent http.Handler
	Peer  string // the address of the manager, from which the letters come
}

// deliver is a [mailbox.Config].Deliver.
func (h letterHandler) deliver(ctx context.Context, body []byte) mailbox.Answer {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/mcp", bytes.NewReader(body))
	if err != nil {
		return mailbox.Answer{Error: err.Error()}
	}
	r.Header.Set("Content-Type", "application/json")
	r.RemoteAddr = net.JoinHostPort(h.Peer, "0")
	w := answerWriter{header: http.Header{}, status: http.StatusOK}
	h.Agent.ServeHTTP(&w, r)
	return mailbox.Answer{Status: w.status, Body: w.body.Bytes()}
}

// An answerWriter keeps the answer to a letter.
type answerWriter struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *answerWriter) Header() http.Header         { return w.header }
func (w *answerWriter) WriteHeader(status int)      { w.status = status }
func (w *answerWriter) Write(b []byte) (int, error) { return w.body.Write(b) }

// callerOf returns the address of a manager, 127.0.0.1 for this machine, or "0.0.0.0" for a name: the letters of a
// manager are authenticated by their tokens, not by their address.
func callerOf(manager string) string {
	u, err := url.Parse(manager)
	switch {
	case err != nil:
	case u.Hostname() == "localhost":
		return "127.0.0.1"
	case net.ParseIP(u.Hostname()) != nil:
		return u.Hostname()
	}
	return "0.0.0.0"
}

// viaMailbox returns options with a network whose calls to the manager can go through a mailbox, and the function that
// opens the mailbox of the agent. An agent in the process of its manager needs none.
func (d *agentEnv) viaMailbox(o rpc.Options) (rpc.Options, openMailbox) {
	f := d.agent
	if f.Own {
		return o, nil
	}
	network, _ := o.Network.(*rpc.HTTP)
	if network == nil {
		network = rpc.NewNetwork(o)
	}
	if f.kept.tunnel == nil {
		f.kept.tunnel = &tunnel{trust: d.env.Net.Trust, letters: f.kept}
	}
	t := f.kept.tunnel
	o.Network = &tunnelNetwork{network, t}
	note := func(text string) {
		o.Logger.Info(text, slog.String("event_type", "MAILBOX"))
		if f.Note != nil {
			f.Note(text)
		}
	}
	return o, func(ctx context.Context, manager string, key ed25519.PrivateKey) (string, error) {
		endpoint, err := t.open(ctx, manager, key, note)
		if err == nil {
			note("the manager cannot call this agent, which keeps a connection open instead (mailbox)")
		}
		return endpoint, err
	}
}

// An openMailbox opens the mailbox of a key at a manager, and returns its endpoint.
type openMailbox = func(ctx context.Context, manager string, key ed25519.PrivateKey) (endpoint string, err error)

// endpoint returns the endpoint with which the agent registers at a manager: its mailbox if that is open.
func (d *agentEnv) endpoint(manager string) string {
	if t := d.agent.kept.tunnel; t != nil {
		if link := t.to(manager); link != nil {
			return link.Endpoint()
		}
	}
	return d.listener.URL()
}
