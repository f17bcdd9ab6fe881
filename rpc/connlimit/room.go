package connlimit

import (
	"context"
	"net"
	"time"
)

// A process without free file descriptors cannot open a connection: it closes some idle ones and retries. Connections
// also leave some descriptors free, which are needed for writing files.

// shedTries is the maximum number of tries for one connection. shedPause is the delay after a failed try, in which
// the system releases closed connections.
const (
	shedTries = 4
	shedPause = 5 * time.Millisecond
)

// Listener wraps l so that Accept closes idle connections when the process has no free file descriptors.
func (t *Tracker) Listener(l net.Listener) net.Listener { return listener{l, t} }

// A listener makes room for new connections.
type listener struct {
	net.Listener
	conns *Tracker
}

// Accept waits for the next connection.
func (l listener) Accept() (net.Conn, error) { return l.conns.withRoom(l.Listener.Accept) }

// Dial opens a connection. If the process has no free file descriptors, it closes idle connections and retries.
func (t *Tracker) Dial(ctx context.Context, d *net.Dialer, network, address string) (net.Conn, error) {
	return t.withRoom(func() (net.Conn, error) { return d.DialContext(ctx, network, address) })
}

// withRoom calls open. While that fails for lack of file descriptors, it closes other connections and retries.
func (t *Tracker) withRoom(open func() (net.Conn, error)) (c net.Conn, err error) {
	for range shedTries {
		c, err = open()
		if err == nil && nearLimit(c) {
			t.shed()
		}
		if err == nil || !outOfFiles(err) || !t.shed() {
			return c, err
		}
		time.Sleep(shedPause)
	}
	return c, err
}
