package wire

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"agentleague/rpc/lifetime"
)

// A wire is a connection that carries one call at a time. It holds no buffers while it is idle, or while it waits
// for the first byte of an answer.
type wire struct {
	conn net.Conn
	raw  rawConn       // the connection below the standard library's
	used time.Time     // when it was used last; zero: it is new
	stop func()        // interrupt, as a context of the standard library wants it
	hook lifetime.Hook // the wire's place in the list of a context

	// Of the call under way:
	out    *[]byte // the request; nil: it has been sent, as far as it could be
	sent   int     // bytes of it
	unsent error   // why the request could not be sent as a whole
	in     reply
}

// newWire wraps a connection. The method value stop is allocated once, since each call needs it.
func newWire(conn net.Conn) *wire {
	w := &wire{conn: conn}
	w.stop, w.hook.Who = w.interrupt, w
	return w
}

// maxKept is the largest capacity, in bytes, of a request buffer that returns to the pool.
const maxKept = 64 << 10

// outs is the pool of request buffers. A request is sent with a single write.
var outs = sync.Pool{New: func() any { return new([]byte) }}

// exchange writes a request and reads its answer, which the caller owns. again means that the connection can carry
// another call. No reference to body remains.
func (w *wire) exchange(t *Target, body []byte, limit int64) (status int, answer []byte, again bool, err error) {
	w.out, w.sent, w.unsent, w.in = outs.Get().(*[]byte), 0, nil, reply{limit: limit}
	defer w.release()
	*w.out = t.appendRequest((*w.out)[:0], body)
	v, failed := w.carry()
	switch {
	case v == whole:
		answer, again, err = w.in.answer()
		status = w.in.status
	case w.in.body != nil: // a plain answer that was cut off
		return w.in.status, w.in.body[:w.in.got], false, unexpected(failed)
	default:
		status, answer, again, err = general(w.conn, w.in.begun(), failed, limit)
	}
	if status == 0 {
		err = errors.Join(w.unsent, err)
	}
	return status, answer, again && w.unsent == nil, err
}

// carrySimply sends the rest of the request and reads the answer, as far as it is plain. An error means that no more
// can be read.
func (w *wire) carrySimply() (verdict, error) {
	_, w.unsent = w.conn.Write((*w.out)[w.sent:])
	w.releaseOut() // a server may refuse a request before it is complete: a write error does not end the call
	for {
		n, err := w.conn.Read(w.in.readBuffer())
		if v := w.in.took(n); v != more || err != nil {
			return v, err
		}
	}
}

// unexpected returns the error for an answer that was cut off: io.EOF becomes io.ErrUnexpectedEOF.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// release gives all buffers back.
func (w *wire) release() {
	w.releaseOut()
	w.in.release()
	w.in = reply{heard: w.in.heard}
}

// releaseOut returns the request buffer to the pool, unless it is larger than maxKept.
func (w *wire) releaseOut() {
	if w.out == nil {
		return
	}
	if cap(*w.out) <= maxKept {
		released((*w.out)[:cap(*w.out)])
		outs.Put(w.out)
	}
	w.out = nil
}
