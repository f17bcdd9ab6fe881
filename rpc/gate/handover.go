package gate

import (
	"net"
	"net/http"
	"sync"
)

// hand gives a connection to net/http, which first reads the bytes and the error that the gate has already read.
func (g *Gate) hand(k *conn) {
	read := append([]byte(nil), k.in.bytes()...)
	k.release()
	g.leave(k, http.StateHijacked)
	_ = k.SetDeadline(noTime) // net/http sets its own
	g.rest.hand(g.HTTP, &resumed{Conn: k.Conn, read: read, failed: k.failed})
}

// A resumed connection begins with the bytes that were already read.
type resumed struct {
	net.Conn
	read   []byte
	failed error // that was met after read; nil: there may be more
}

// Read gives net/http first the bytes that were already read, and then the connection.
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

// The rest are the connections for net/http. It is the listener from which net/http accepts them.
type rest struct {
	begin  sync.Once
	once   sync.Once
	conns  chan net.Conn
	closed chan struct{}
	addr   net.Addr
}

// hand lets a server serve a connection, or closes it if the server has ended. The server begins with the first one:
// most agents of a large league are never sent anything that is not plain.
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
