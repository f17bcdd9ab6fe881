package gate

import (
	"net"
	"net/http"
	"sync"
)

// hand passes a connection to net/http, which first reads the bytes, and the error, that the gate has already read.
func (g *Gate) hand(k *conn) {
	read := append([]byte(nil), k.in.bytes()...)
	k.release()
	g.leave(k, http.StateHijacked)
	_ = k.SetDeadline(noTime) // net/http sets its own
	g.rest.hand(g.HTTP, &resumed{Conn: k.Conn, read: read, failed: k.failed})
}

// A resumed connection returns the bytes that the gate has already read before it reads more.
type resumed struct {
	net.Conn
	read   []byte
	failed error // that was met after read; nil: there may be more
}

// Read returns the bytes that were already read, then the error if there was one, and then reads from the connection.
func (r *resumed) Read(b []byte) (int, error) {
	switch {
	case len(r.read) > 0:
		n := copy(b, r.read)
		if r.read = r.read[n:]; len(r.read) == 0 {
			r.read = nil // it is not needed any more
		}
		return n, nil
	case r.failed != nil:
		return 0, r.failed
	}
	return r.Conn.Read(b)
}

// A rest is the listener from which net/http accepts the connections that the gate passes on.
type rest struct {
	begin  sync.Once
	once   sync.Once
	conns  chan net.Conn
	closed chan struct{}
	addr   net.Addr
}

// hand passes a connection to a server, or closes it if the server has ended. The server is started with the first
// connection, since most agents of a large league never need it.
func (r *rest) hand(to *http.Server, c net.Conn) {
	r.begin.Do(func() {
		r.conns, r.closed, r.addr = make(chan net.Conn), make(chan struct{}), c.LocalAddr()
		go func() { _ = to.Serve(r) }() // ends when the server does, which also closes r
	})
	select {
	case r.conns <- c:
	case <-r.closed:
		_ = c.Close()
	}
}

// Accept returns the next connection.
func (r *rest) Accept() (net.Conn, error) {
	select {
	case c := <-r.conns:
		return c, nil
	case <-r.closed:
		return nil, net.ErrClosed
	}
}

// Close ends it.
func (r *rest) Close() error {
	r.once.Do(func() { close(r.closed) })
	return nil
}

// Addr returns the address of the port.
func (r *rest) Addr() net.Addr { return r.addr }
