package rpc

import (
	"context"
	"net"
	"time"
)

// A process that can open no more files gets no connection either. It makes
// room by closing some that nobody needs just now, and tries again.

// shedTries is how often room is made for one connection, and shedPause how
// long those that were closed have to be gone.
const (
	shedTries = 4
	shedPause = 5 * time.Millisecond
)

// A doorway is a listener that makes room for whoever comes.
type doorway struct {
	net.Listener
	guests *guests
}

// Accept waits for the next connection.
func (d doorway) Accept() (net.Conn, error) {
	return insisting(d.guests, d.Listener.Accept)
}

// dial opens a connection, and makes room for it if need be.
func dial(ctx context.Context, d *net.Dialer, network, address string) (net.Conn, error) {
	return insisting(everybody, func() (net.Conn, error) { return d.DialContext(ctx, network, address) })
}

// insisting opens a connection, and makes room for it a few times.
func insisting(g *guests, open func() (net.Conn, error)) (c net.Conn, err error) {
	for range shedTries {
		if c, err = open(); err == nil || !outOfFiles(err) || !g.shed() {
			return c, err
		}
		time.Sleep(shedPause)
	}
	return c, err
}
