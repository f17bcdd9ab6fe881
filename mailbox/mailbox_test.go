package mailbox

import (
	"context"
	"crypto/ed25519"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A pipeNet is a network of pipes inside of a synctest bubble, whose connections can be cut or become silent.
type pipeNet struct {
	accept chan net.Conn
	closed chan struct{}

	mu    sync.Mutex
	conns []*pipeConn
}

// A pipeConn is one end of a connection, at the agent.
type pipeConn struct {
	net.Conn
	silent atomic.Bool // discards all that is written
}

func (c *pipeConn) Write(b []byte) (int, error) {
	if c.silent.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// A buffered connection accepts writes without a waiting reader, as TCP does.
type buffered struct {
	net.Conn
	out    chan []byte
	closed chan struct{}
	once   sync.Once
}

func newBuffered(c net.Conn) net.Conn {
	b := &buffered{Conn: c, out: make(chan []byte, 1000), closed: make(chan struct{})}
	go func() {
		for {
			select {
			case text := <-b.out:
				if _, err := c.Write(text); err != nil {
					return
				}
			case <-b.closed:
				return
			}
		}
	}()
	return b
}

func (b *buffered) Write(text []byte) (n int, err error) {
	select {
	case b.out <- append([]byte(nil), text...):
		return len(text), nil
	case <-b.closed:
		return 0, net.ErrClosed
	}
}

func (b *buffered) Close() error {
	b.once.Do(func() { close(b.closed) })
	return b.Conn.Close()
}

func newPipeNet() *pipeNet { return &pipeNet{accept: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipeNet) Accept() (net.Conn, error) {
	select {
	case c := <-p.accept:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}
func (p *pipeNet) Close() error   { return nil }
func (p *pipeNet) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipeNet) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	agent, manager := net.Pipe()
	c := &pipeConn{Conn: newBuffered(agent)}
	select {
	case p.accept <- newBuffered(manager):
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.mu.Lock()
	p.conns = append(p.conns, c)
	p.mu.Unlock()
	return c, nil
}

// newest returns the newest connection.
func (p *pipeNet) newest() *pipeConn {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conns[len(p.conns)-1]
}

// A world is an office behind a pipeNet.
type world struct {
	*pipeNet
	office *Office
	server *http.Server
	client *http.Client
	site   Site
	got    []string // messages to the manager
}

const managerAt = "http://localhost:8000/mcp"

func newWorld(t *testing.T, l Limits, registered func(string) bool) *world {
	w := &world{pipeNet: newPipeNet(), office: NewOffice(l, registered)}
	transport := &http.Transport{DialContext: w.dial}
	w.client = &http.Client{Transport: transport}
	w.site = Site{Manager: managerAt, Seal: "seal", Peer: "192.0.2.1", Receive: func(_ context.Context, id string, body []byte) Answer {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.got = append(w.got, id+" "+string(body))
		return Answer{Body: []byte("got " + string(body))}
	}}
	w.server = &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		at := w.site
		if as := r.Header.Get("Peer"); as != "" {
			at.Peer = as
		}
		w.office.Serve(rw, r, r.URL.Path, at)
	})}
	go func() { _ = w.server.Serve(w) }()
	t.Cleanup(func() {
		close(w.closed)
		_ = w.server.Close()
		transport.CloseIdleConnections()
	})
	return w
}

// key returns a fixed key.
func key(n byte) ed25519.PrivateKey {
	seed := make([]byte, ed25519.SeedSize)
	seed[0] = n
	return ed25519.NewKeyFromSeed(seed)
}

// dialLink opens the mailbox of a key with an agent.
func (w *world) link(t *testing.T, k ed25519.PrivateKey, deliver func(context.Context, []byte) Answer) *Link {
	t.Helper()
	l, err := Dial(t.Context(), Config{Manager: managerAt, Key: k, Client: w.client, Deliver: deliver})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func echo(_ context.Context, body []byte) Answer {
	return Answer{Body: append([]byte("echo "), body...)}
}

// post sends a letter to the agent of a link within d.
func (w *world) post(l *Link, d time.Duration, body string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	_, answer, err := w.office.Post(ctx, l.Endpoint(), []byte(body))
	return string(answer), err
}

func isRefusal(err error, status int) bool {
	var no *Refusal
	return errors.As(err, &no) && no.Status == status
}
