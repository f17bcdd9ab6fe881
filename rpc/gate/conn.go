package gate

import (
	"net"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// noTime takes a deadline away.
var noTime time.Time

// A conn is a connection that the gate serves: all its requests so far were plain. Only busy may be used by other
// goroutines than the connection's own.
type conn struct {
	net.Conn
	gate *Gate
	post Post        // the request that is being answered; remote and local are those of the connection
	busy atomic.Bool // a request has begun to come, and its answer has not been written
	in   *buffer     // the bytes that were read and not answered yet; nil: none
	out  *buffer     // an answer that is to be written; nil: none

	failed error // how reading ended, in the middle of a request
	reads  time.Time
	writes time.Time // the read and write deadline that was set last
}

// newConn wraps an accepted connection. The addresses are formatted once here, not for each request.
func newConn(g *Gate, c net.Conn) *conn {
	k := &conn{Conn: c, gate: g}
	k.post.Local = c.LocalAddr()
	k.post.Remote, _, _ = net.SplitHostPort(c.RemoteAddr().String())
	return k
}

// serve answers plain requests until the connection ends or a request is not plain; then net/http takes over.
func (g *Gate) serve(k *conn) {
	for first := true; k.receive(first); first = false {
		switch g.exchange(k) {
		case other:
			g.hand(k)
			return
		case broken:
			k.end()
			return
		}
	}
	k.end()
}

// end closes a connection.
func (k *conn) end() {
	_ = k.Close()
	k.release()
	k.gate.leave(k, http.StateClosed)
}

// release returns the buffers of a connection to the pool.
func (k *conn) release() {
	k.in.give(k.gate.Poison)
	k.out.give(k.gate.Poison)
	k.in, k.out = nil, nil
}

// An outcome is the outcome of a request.
type outcome int

const (
	answered outcome = iota // its answer is in out
	other                   // it is not plain, or not for the handler: net/http gets it
	broken                  // the connection is of no use any more
)

// exchange reads the rest of the request in k.in and stores the handler's answer in k.out.
func (g *Gate) exchange(k *conn) outcome {
	h, plain := readHead(k.in.b)
	if !plain {
		return other
	}
	if size := h.size + h.length; len(k.in.b) < size {
		if !k.complete(size) {
			return other
		}
		h, _ = readHead(k.in.b) // it may have moved as it grew
	}
	g.tell(k, http.StateActive)
	k.request(h)
	answer, became := g.ask(k)
	room, status := k.post.room, k.post.Status
	k.post.room, k.post.Status = nil, 0
	if became != answered {
		return became
	}
	k.out = takeBuffer()
	k.out.b = appendAnswer(k.out.b, answer, status, g.closing.Load())
	room.give(g.Poison) // the answer may have been in it
	k.drop(h.size + h.length)
	return answered
}

// complete reads until the buffer holds a request of size bytes. It returns false, with the error in k.failed, if a
// read fails or times out.
func (k *conn) complete(size int) bool {
	k.reads = until(k.SetReadDeadline, noTime, k.gate.HTTP.ReadTimeout)
	for len(k.in.b) < size {
		if k.failed = k.read(); k.failed != nil {
			return false
		}
	}
	return true
}

// request fills in the request from its head.
func (k *conn) request(h requestHead) {
	k.post.Path, k.post.Authorization = h.path, h.token
	k.post.Body = k.in.b[h.size : h.size+h.length]
	if k.post.Host != string(h.host) { // it is hardly ever another than before
		k.post.Host = string(h.host)
	}
}

// drop removes a request of size bytes from the buffer. The rest, usually nothing, is the beginning of the next one.
func (k *conn) drop(size int) {
	k.post.Path, k.post.Authorization, k.post.Body = nil, nil, nil
	if len(k.in.b) > size {
		k.in.b = k.in.b[:copy(k.in.b, k.in.b[size:])]
		return
	}
	k.in.give(k.gate.Poison)
	k.in = nil
}

// ask calls the handler. If the handler panics, ask logs that and returns broken: as in net/http, only the connection
// ends.
func (g *Gate) ask(k *conn) (answer []byte, became outcome) {
	ctx := &request{base: g.Base, conn: k}
	defer func() {
		if p := recover(); p != nil {
			g.complain(p, k.post.Remote)
			became = broken
		}
		ctx.end()
	}()
	answer, ok := g.Handler.ServePost(ctx, &k.post)
	if !ok {
		return nil, other
	}
	return answer, answered
}

// complain logs the panic of a handler to the ErrorLog of the server.
func (g *Gate) complain(p any, remote string) {
	if p != http.ErrAbortHandler && g.HTTP.ErrorLog != nil {
		g.HTTP.ErrorLog.Printf("gate: panic serving %s: %v\n%s", remote, p, debug.Stack())
	}
}
