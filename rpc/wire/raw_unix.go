//go:build unix

package wire

import (
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// A read(2) right after the write of the request finds nothing: the answer is not there yet. The standard library
// tries it before it waits. Here the request is written when the poller has been armed for the connection, and the
// first read is made after an event.
//
// That relies on events after the request. Earlier events are lost: so a connection that is new, or was idle for
// long, is read at once. If the peer has closed it since, it answers the request with a reset.

// trusted is for how long after an answer a connection is taken to be as it was left.
const trusted = time.Second

// A rawConn is the state for using a connection below the standard library.
type rawConn struct {
	conn   syscall.RawConn
	turn   func(fd uintptr) (done bool)
	wait   bool // nothing can have come before the request
	v      verdict
	failed error
}

// carry sends the request and reads the answer, as far as it is plain. An error explains why no more can be read.
func (w *wire) carry() (verdict, error) {
	if w.raw.conn == nil && !w.below() {
		return w.carrySimply()
	}
	w.raw.v, w.raw.failed = more, nil
	w.raw.wait = !w.used.IsZero() && time.Since(w.used) < trusted
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

// below finds the connection below, and reports whether there is one.
func (w *wire) below() bool {
	c, ok := w.conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := c.SyscallConn()
	w.raw.conn, w.raw.turn = raw, w.takeTurn
	return err == nil
}

// takeTurn does the work that needs no waiting. It is called before the first wait, and after each event.
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

// write sends the request and reports whether that is over, well or not.
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

// read reads all available bytes, and reports whether that is enough, or the end: the poller reports only new data.
func (w *wire) read(fd int) (done bool) {
	for w.raw.v == more {
		n, err := syscall.Read(fd, w.in.room())
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

// opError writes an error as the standard library does.
func (w *wire) opError(op string, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Source: w.conn.LocalAddr(), Addr: w.conn.RemoteAddr(),
		Err: os.NewSyscallError(op, err)}
}
