package rpc

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

// A doorway is a listener that makes room for new connections.
type doorway struct {
	net.Listener
	conns *connTracker
}

// Accept waits for the next connection.
func (d doorway) Accept() (net.Conn, error) {
	return withRoom(d.conns, d.Listener.Accept)
}

// dial opens a connection, and makes room for it if need be.
func dial(ctx context.Context, d *net.Dialer, network, address string) (net.Conn, error) {
	return withRoom(processConns, func() (net.Conn, error) { return d.DialContext(ctx, network, address) })
}

// withRoom opens a connection; while the process is out of file descriptors it closes others and retries.
func withRoom(conns *connTracker, open func() (net.Conn, error)) (c net.Conn, err error) {
	for range shedTries {
		c, err = open()
		if err == nil && nearLimit(c) {
			conns.shed()
		}
		if err == nil || !outOfFiles(err) || !conns.shed() {
			return c, err
		}
		time.Sleep(shedPause)
	}
	return c, err
}
