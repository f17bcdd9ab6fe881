//go:build unix

package wire

import (
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// Directly after the write of a request, the answer has not arrived yet, so a read(2) would fail with EAGAIN. The
// standard library still tries it before it waits for the poller. Here the poller is armed first, then the request is
// written, and the first read follows the poller's event.
//
// This works only if no event was lost before the request. Therefore a connection that is new, or was idle for more
// than a second, is read at once: if the peer has closed it, that read finds out.

// trustedIdle is how long after an answer a connection is assumed to be unchanged.
const trustedIdle = time.Second

// A rawConn is the state for reading and writing the file descriptor of a connection directly.
type rawConn struct {
	conn   syscall.RawConn
	turn   func(fd uintptr) (done bool)
	wait   bool // nothing can have come before the request
	v      verdict
	failed error
}

// carry sends the request and reads the answer, as far as it is plain. An error means that no more can be read.
func (w *wire) carry() (verdict, error) {
	if w.raw.conn == nil && !w.below() {
		return w.carrySimply()
	}
	w.raw.v, w.raw.failed = more, nil
	w.raw.wait = !w.used.IsZero() && time.Since(w.used) < trustedIdle
	if err := w.raw.conn.Read(w.raw.turn); err != nil {
		if op, ok := err.(*net.OpError); ok {
			op.Op = "read"
		}
		return more, err
	}
	if w.out != nil { // there was no room for all of it
		return w.carrySimply()
	}
	return w.raw.v, w.raw.failed
}

// below stores the connection's [syscall.RawConn]. It returns false if the connection has none.
func (w *wire) below() bool {
	c, ok := w.conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := c.SyscallConn()
	w.raw.conn, w.raw.turn = raw, w.takeTurn
	return err == nil
}

// takeTurn writes and reads as much as possible without blocking. The poller calls it before the first wait and after
// each event, until it returns true.
func (w *wire) takeTurn(fd uintptr) (done bool) {
	if w.out != nil {
		if !w.write(int(fd)) {
			return true
		}
		if w.raw.wait && w.unsent == nil {
			return false
		}
	}
	return w.read(int(fd))
}

// write sends the request. It returns true when all of it is sent or the write has failed, and false if the socket
// buffer is full.
func (w *wire) write(fd int) bool {
	for {
		n, err := syscall.Write(fd, (*w.out)[w.sent:])
		w.sent += max(n, 0)
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.EAGAIN, err == nil && w.sent < len(*w.out):
			return false
		case err != nil:
			w.unsent = w.opError("write", err)
		}
		w.releaseOut()
		return true
	}
}

// read reads all available bytes, since the poller reports only new data. It returns true when the answer is complete
// or nothing more can be read.
func (w *wire) read(fd int) (done bool) {
	for w.raw.v == more {
		n, err := syscall.Read(fd, w.in.readBuffer())
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			if !w.in.heard {
				w.in.release() // it may be a long time
			}
			return false
		case err != nil:
			w.raw.failed = w.opError("read", err)
			return true
		case n == 0:
			w.raw.failed = io.EOF
			return true
		default:
			w.raw.v = w.in.took(n)
		}
	}
	return true
}

// opError wraps an error as the standard library does.
func (w *wire) opError(op string, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Source: w.conn.LocalAddr(), Addr: w.conn.RemoteAddr(),
		Err: os.NewSyscallError(op, err)}
}
