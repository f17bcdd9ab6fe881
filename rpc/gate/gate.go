package gate

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A Handler answers plain requests.
type Handler interface {
	// ServePost returns the answer to a request: JSON, or nil for an empty answer with status 202. The answer must not
	// share memory with the request, and the gate does not use it after the next request is read.
	//
	// If ok is false, net/http reads and serves the request again; ServePost must not have had any effect then.
	//
	// The context ends when the request is answered, and soon after the client has disconnected.
	ServePost(ctx context.Context, r *Post) (answer []byte, ok bool)
}

// OwnAgent is the User-Agent of our own clients in package wire. The gate does not treat them differently.
const OwnAgent = "league"

// A Gate serves plain HTTP/1.1 connections. Its fields must not be changed after Serve was called.
type Gate struct {
	Handler Handler
	HTTP    *http.Server    // for all that is not plain; its time limits hold for plain requests too
	Base    context.Context // the parent of the contexts of requests

	// ConnState is called when the state of a connection changes, like the field of [http.Server], with two differences:
	// a connection is active only when a whole request has arrived, and it is hijacked when net/http gets it. The server
	// then reports it under another [net.Conn]. It may be nil.
	ConnState func(net.Conn, http.ConnState)

	// Poison overwrites released buffers, so that tests detect use after release.
	Poison bool

	rest    rest
	closing atomic.Bool

	mu        sync.Mutex
	listeners []net.Listener
	conns     map[*conn]struct{}
	empty     chan struct{} // closed when there are no connections any more; nil: not awaited
}

// Serve accepts connections until the listener fails or the gate is shut down. It closes the listener and returns its
// error.
func (g *Gate) Serve(l net.Listener) error {
	defer l.Close()
	if !g.open(l) {
		return net.ErrClosed
	}
	var pause time.Duration
	for {
		c, err := l.Accept()
		switch {
		case err == nil:
			pause = 0
			if k := g.enter(c); k != nil {
				go g.serve(k)
			}
		case passing(err) && !g.closing.Load(): // there is no file for it at the moment
			pause = min(max(2*pause, shortPause), longPause)
			time.Sleep(pause)
		default:
			return err
		}
	}
}

// The backoff after a failed accept, doubled from minimum to maximum as in net/http.
const (
	shortPause = 5 * time.Millisecond
	longPause  = time.Second
)

// passing reports whether an error of Accept is temporary.
func passing(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Temporary() //nolint:staticcheck // nothing else tells, and net/http asks the same
}

// Shutdown stops accepting, closes idle connections and waits until the others have sent their answer. When ctx ends
// first, it returns the context's error; [Gate.Close] then closes the rest. It does not shut down net/http.
func (g *Gate) Shutdown(ctx context.Context) error {
	select {
	case <-g.shut(func(k *conn) bool { return !k.busy.Load() }):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close stops accepting and closes all connections at once.
func (g *Gate) Close() { g.shut(func(*conn) bool { return true }) }

// shut closes the listeners and the connections for which the function returns true. The returned channel is closed
// when no connection is left.
func (g *Gate) shut(which func(*conn) bool) <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closing.Store(true) // before the busy ones are counted: see conn.send
	for _, l := range g.listeners {
		_ = l.Close()
	}
	for k := range g.conns {
		if which(k) {
			_ = k.Close()
		}
	}
	if g.empty == nil {
		g.empty = make(chan struct{})
		if len(g.conns) == 0 {
			close(g.empty)
		}
	}
	return g.empty
}

// open registers a listener. It returns false if the gate is shut down.
func (g *Gate) open(l net.Listener) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closing.Load() {
		return false
	}
	g.listeners = append(g.listeners, l)
	if g.conns == nil {
		g.conns = map[*conn]struct{}{}
	}
	return true
}

// enter registers a connection. If the gate is shut down, it closes the connection and returns nil.
func (g *Gate) enter(c net.Conn) *conn {
	k := newConn(g, c)
	g.mu.Lock()
	if g.closing.Load() {
		g.mu.Unlock()
		_ = c.Close()
		return nil
	}
	g.conns[k] = struct{}{}
	g.mu.Unlock()
	g.tell(k, http.StateNew)
	return k
}

// leave removes a connection that was closed or given to net/http, and reports its final state.
func (g *Gate) leave(k *conn, as http.ConnState) {
	g.tell(k, as)
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.conns, k)
	if g.empty != nil && len(g.conns) == 0 {
		close(g.empty)
	}
}

// tell calls ConnState with the state of a connection.
func (g *Gate) tell(k *conn, state http.ConnState) {
	if g.ConnState != nil {
		g.ConnState(k.Conn, state)
	}
}
