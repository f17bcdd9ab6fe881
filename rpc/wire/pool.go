package wire

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"agentleague/rpc/lifetime"
)

// MaxIdle is how long a connection is kept for the next call. Our own servers
// keep theirs for twice that.
const MaxIdle = 60 * time.Second

// The maximum numbers of idle connections: to one host, and to all.
const (
	maxIdleWires        = 4096
	maxIdleWiresPerHost = 512 // players that share a port receive the news of a round at once; 64 cost 17 system calls a match
)

// A Pool makes calls, and keeps their connections for the next ones. Many
// goroutines may use it.
type Pool struct {
	// Dial connects to a host and port.
	Dial func(ctx context.Context, address string) (net.Conn, error)
	// Kept is called with a connection that becomes idle, which may be closed from then on; Taken when it is used
	// again.
	Kept, Taken func(net.Conn)

	mu    sync.Mutex
	idle  map[string][]*wire // by address; the one used last comes last
	count int
	swept time.Time // when the old ones were closed last

	watches map[<-chan struct{}]*lifetime.Context // the watches of contexts, by their Done
}

// Post makes a call and returns the answer, with any status; a body of at most limit bytes, which the caller owns.
// Body is not used any more when it returns. When ctx ends, so does the call, with the context's error.
//
// A call on an idle connection that the peer had closed is retried, once, on a new one: there was no response, and no
// evidence that the request arrived.
func (p *Pool) Post(ctx context.Context, t *Target, body []byte, limit int64) (int, []byte, error) {
	if w := p.take(t.address); w != nil {
		status, answer, err := p.call(ctx, w, t, body, limit)
		if err == nil || w.in.heard || ctx.Err() != nil || isTimeout(err) {
			return status, answer, err
		}
		p.forget(t.address) // the others are as old or older
	}
	conn, err := p.connect(ctx, t.address)
	if err != nil {
		return 0, nil, err
	}
	return p.call(ctx, newWire(conn), t, body, limit)
}

// connect dials on a goroutine that ends with it. The standard library takes a deep stack to dial, and a grown stack
// stays so while its call waits for the answer: for thousands of waiting calls, that is as much as all their other
// memory.
func (p *Pool) connect(ctx context.Context, address string) (conn net.Conn, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err = p.Dial(ctx, address)
	}()
	<-done
	return conn, err
}

// isTimeout reports whether a deadline has passed, of a connection or of a dial.
func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// call makes a call over w. Afterwards w is kept, or closed if anything about it
// is in doubt.
func (p *Pool) call(ctx context.Context, w *wire, t *Target, body []byte, limit int64) (int, []byte, error) {
	deadline, _ := ctx.Deadline() // zero: none
	_ = w.conn.SetDeadline(deadline)
	status, answer, again, err := p.exchange(ctx, w, t, body, limit)
	if again && err == nil {
		p.put(t.address, w)
	} else {
		_ = w.conn.Close()
	}
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	} else if err != nil && isTimeout(err) { // the connection's clock was a little before the context's
		err = context.DeadlineExceeded
	}
	return status, answer, err
}

// exchange makes an exchange over w that is interrupted when ctx ends. After that w carries no other.
func (p *Pool) exchange(ctx context.Context, w *wire, t *Target, body []byte, limit int64) (status int, answer []byte,
	again bool, err error) {
	if e := p.watchOf(ctx); e != nil {
		e.Tell(&w.hook)
		status, answer, again, err = w.exchange(t, body, limit)
		return status, answer, e.Leave(&w.hook) && again, err
	}
	if ctx.Done() == nil {
		return w.exchange(t, body, limit)
	}
	stop := context.AfterFunc(ctx, w.stop)
	status, answer, again, err = w.exchange(t, body, limit)
	return status, answer, stop() && again, err
}

// take returns the connection to an address that was used last, or nil.
func (p *Pool) take(address string) *wire {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.idle[address]
	if len(list) == 0 {
		return nil
	}
	w := list[len(list)-1]
	if time.Since(w.used) > MaxIdle {
		p.drop(address)
		return nil
	}
	list[len(list)-1] = nil
	p.idle[address] = list[:len(list)-1]
	p.count--
	p.Taken(w.conn)
	return w
}

// put keeps a connection for the next call.
func (p *Pool) put(address string, w *wire) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.used = time.Now()
	if p.count >= maxIdleWires || len(p.idle[address]) >= maxIdleWiresPerHost {
		_ = w.conn.Close()
		return
	}
	if p.idle == nil {
		p.idle = map[string][]*wire{}
	}
	p.idle[address] = append(p.idle[address], w)
	p.count++
	p.Kept(w.conn)
	if w.used.Sub(p.swept) > MaxIdle {
		p.sweep(w.used)
	}
}

// sweep closes connections that were idle for long.
func (p *Pool) sweep(now time.Time) {
	p.swept = now
	for address, list := range p.idle {
		young := slices.IndexFunc(list, func(w *wire) bool { return now.Sub(w.used) <= MaxIdle })
		if young < 0 {
			p.drop(address)
			continue
		}
		for _, w := range list[:young] {
			p.close(w)
		}
		p.count -= young
		p.idle[address] = slices.Delete(list, 0, young)
	}
}

// forget closes the idle connections of an address, at which another server may listen now.
func (p *Pool) forget(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(address)
}

// drop closes all connections to an address that wait. The caller holds the lock.
func (p *Pool) drop(address string) {
	for _, w := range p.idle[address] {
		p.close(w)
	}
	p.count -= len(p.idle[address])
	delete(p.idle, address)
}

// close closes a wire that waited.
func (p *Pool) close(w *wire) {
	p.Taken(w.conn)
	_ = w.conn.Close()
}
