package gate

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"
)

// A request is the context of one. It checks for a disconnected client only if a goroutine waits for the end of the
// context, and only after a while: nearly all answers are made before it could matter.
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

// Deadline returns that of the server, which has none.
func (r *request) Deadline() (time.Time, bool) { return r.base.Deadline() }

// Done is closed when the request is answered or its client has hung up.
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

// Value returns a value of the server. The internal keys of package context find the inner context, so that derived
// contexts are cancelled by it directly.
func (r *request) Value(key any) any {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.inner != nil {
		return r.inner.Value(key)
	}
	return r.base.Value(key)
}

// watch reads a byte: that of the next request, if the client does not wait for its answer. Then it cannot be seen any
// more whether it hangs up.
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

// end ends the context with its request, and the check. A byte that the check read is put back into the buffer.
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
