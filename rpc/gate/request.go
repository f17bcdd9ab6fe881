package gate

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"
)

// A request is the context of a plain request. It checks whether the client has disconnected only if a goroutine waits
// for Done, and only after watchAfter: nearly all requests are answered before.
type request struct {
	base context.Context
	conn *conn

	mu     sync.Mutex
	inner  context.Context // created by the first wait; nil: not yet
	cancel context.CancelFunc
	timer  *time.Timer // after which the watch begins
	ended  bool
	left   chan struct{} // closed when the watch has ended; nil: it has not begun
	got    [1]byte       // the byte that the check read
	n      int
}

// watchAfter is the delay before the gate checks that the client of a request is still connected.
const watchAfter = 20 * time.Millisecond

// Deadline returns the deadline of the server's context, which has none.
func (r *request) Deadline() (time.Time, bool) { return r.base.Deadline() }

// Done is closed when the request is answered or its client has disconnected.
func (r *request) Done() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.inner == nil {
		r.inner, r.cancel = context.WithCancel(r.base)
		if r.ended {
			r.cancel()
		} else {
			r.timer = time.AfterFunc(watchAfter, r.watch)
		}
	}
	return r.inner.Done()
}

// Err reports whether the context has ended.
func (r *request) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.inner != nil:
		return r.inner.Err()
	case r.ended:
		return context.Canceled
	}
	return r.base.Err()
}

// Value returns a value of the server's context. The inner context answers the internal keys of package context, so
// that derived contexts need no goroutine.
func (r *request) Value(key any) any {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.inner != nil {
		return r.inner.Value(key)
	}
	return r.base.Value(key)
}

// watch detects that the client disconnects by reading one byte. If the byte is that of a pipelined request, a later
// disconnect is not detected.
func (r *request) watch() {
	r.mu.Lock()
	if r.ended {
		r.mu.Unlock()
		return
	}
	r.left = make(chan struct{})
	_ = r.conn.SetReadDeadline(noTime)
	r.mu.Unlock()
	defer close(r.left)
	n, err := r.conn.Read(r.got[:])
	if r.n = n; n == 0 && !errors.Is(err, os.ErrDeadlineExceeded) {
		r.cancel()
	}
}

// end ends the context and the watch. A byte that the watch has read is appended to the input buffer.
func (r *request) end() {
	r.mu.Lock()
	r.ended = true
	asked, watched := r.inner != nil, r.left != nil
	r.mu.Unlock()
	if !asked {
		return
	}
	r.timer.Stop()
	r.cancel()
	if watched {
		past := time.Unix(1, 0)
		_ = r.conn.SetReadDeadline(past) // which ends the read
		<-r.left
		r.conn.reads = past
		r.conn.in.b = append(r.conn.in.b, r.got[:r.n]...)
	}
}
