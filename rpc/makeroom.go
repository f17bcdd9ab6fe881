package rpc

import (
	"context"
	"net"
	"time"
)

// A process that can open no more files can open no connection either. It closes
// some that nobody needs at the moment, and tries again. Connections do not take
// the last files: without them nothing can be written, and all would stand still.

// shedTries is how often room is made for one connection, and shedPause the time
// that the system gets to release what was closed.
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

// withRoom opens a connection; while the process is out of files it closes others and tries again.
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
