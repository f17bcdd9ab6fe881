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
	// ServePost answers a request: with JSON, or with nothing but that it was accepted if the answer is nil. The
	// answer must not be a part of the request, and is not read any more when the next one is.
	//
	// It is not ok for a request that it does not answer. That one must have had no effect: net/http reads and serves
	// it again.
	//
	// The context ends when the request is answered, and soon after the client has hung up.
	ServePost(ctx context.Context, r *Post) (answer []byte, ok bool)
}

// OwnAgent is the User-Agent of our own clients, those of package wire. The gate does not treat them otherwise.
const OwnAgent = "league"

// A Gate serves connections of plain HTTP/1.1. Its fields are not changed once it serves.
type Gate struct {
	Handler Handler
	HTTP    *http.Server    // for all that is not plain; its time limits hold for plain requests too
	Base    context.Context // the parent of the contexts of requests

	// ConnState is called with the states of a connection, as that of net/http is, with two differences: a connection
	// is active only when a whole request has come, and hijacked when net/http gets it, which then reports it under
	// another [net.Conn]. It may be nil.
	ConnState func(net.Conn, http.ConnState)

	// Poison overwrites released buffers, so that tests find later reads.
	Poison bool

	rest    rest
	closing atomic.Bool

	mu        sync.Mutex
	listeners []net.Listener
	conns     map[*conn]struct{}
	empty     chan struct{} // closed when there are no connections any more; nil: not awaited
}

// Serve accepts connections until the listener fails or the gate is shut down. It returns the listener's error, and
// closes the listener.
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

// How long is waited after a connection could not be accepted: doubled each time, as net/http does.
const (
	shortPause = 5 * time.Millisecond
	longPause  = time.Second
)

// passing reports whether an error of a listener is temporary.
func passing(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Temporary() //nolint:staticcheck // nothing else tells, and net/http asks the same
}

// Shutdown ends the gate: it accepts no more, closes connections that wait for a request and lets others have their
// answer, until ctx ends. Then it returns the context's error; [Gate.Close] closes the rest. It does not shut down
// net/http.
func (g *Gate) Shutdown(ctx context.Context) error {
	select {
	case <-g.shut(func(k *conn) bool { return !k.busy.Load() }):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends the gate and closes all its connections in any state.
func (g *Gate) Close() { g.shut(func(*conn) bool { return true }) }

// shut closes the listeners and some of the connections. The channel is closed when none is left.
func (g *Gate) shut(which func(*conn) bool) <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closing.Store(true) // before the busy ones are counted: see conn.rested
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

// open notes a listener, unless the gate has ended.
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

// enter notes a connection. It returns nil, and closes the connection, if the gate has ended.
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

// leave forgets a connection, which was closed or handed on.
func (g *Gate) leave(k *conn, as http.ConnState) {
	g.tell(k, as)
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.conns, k)
	if g.empty != nil && len(g.conns) == 0 {
		close(g.empty)
	}
}

// tell reports the state of a connection as net/http does, to the same function.
func (g *Gate) tell(k *conn, state http.ConnState) {
	if g.ConnState != nil {
		g.ConnState(k.Conn, state)
	}
}
