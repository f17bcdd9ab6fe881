package connlimit

import (
	"context"
	"net"
	"time"
)

// A process without free file descriptors cannot open a connection. It closes some idle ones, and retries.
// Connections must not take the last descriptors, which are needed for writing files.

// shedTries is the number of retries for one connection, and shedPause the time for the system to release closed
// ones.
const (
	shedTries = 4
	shedPause = 5 * time.Millisecond
)

// Listener returns a listener that makes room for new connections.
func (t *Tracker) Listener(l net.Listener) net.Listener { return listener{l, t} }

// A listener makes room for new connections.
type listener struct {
	net.Listener
	conns *Tracker
}

// Accept waits for the next connection.
func (l listener) Accept() (net.Conn, error) { return l.conns.withRoom(l.Listener.Accept) }

// Dial opens a connection, and makes room for it if necessary.
func (t *Tracker) Dial(ctx context.Context, d *net.Dialer, network, address string) (net.Conn, error) {
	return t.withRoom(func() (net.Conn, error) { return d.DialContext(ctx, network, address) })
}

// withRoom opens a connection; while the process is out of file descriptors it closes others and retries.
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
