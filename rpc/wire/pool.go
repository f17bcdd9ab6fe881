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

// MaxIdle is how long an idle connection is kept. Our own servers
// keep theirs twice as long.
const MaxIdle = 60 * time.Second

// The maximum numbers of idle connections: per host, and in total.
const (
	maxIdleWires        = 4096
	maxIdleWiresPerHost = 512 // players that share a port receive the news of a round at once; 64 cost 17 system calls a match
)

// A Pool makes calls and keeps idle connections for later ones. It is safe for
// concurrent use.
type Pool struct {
	// Dial connects to a host and port.
	Dial func(ctx context.Context, address string) (net.Conn, error)
	// Kept is called with a connection that becomes idle; from then on it may be closed from outside. Taken is called
	// when the connection is used again, or before the pool closes it.
	Kept, Taken func(net.Conn)

	mu    sync.Mutex
	idle  map[string][]*wire // by address; the one used last comes last
	count int
	swept time.Time // when the old ones were closed last

	watches map[<-chan struct{}]*lifetime.Context // the watches of contexts, by their Done
}

// Post sends body to t and returns the status and body of the answer, whatever the status. An answer larger than limit
// bytes is an error. Post keeps no reference to body, and the caller owns the answer. When ctx ends, Post returns the
// context's error.
//
// If an idle connection turns out to be closed by the peer, the call is retried once on a new connection: there was no
// response, and no evidence that the request arrived.
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

// connect dials on a temporary goroutine. Dialing needs a deep stack, and the caller's stack would keep that size
// while the call waits: for thousands of waiting calls that is as much as all their other memory.
func (p *Pool) connect(ctx context.Context, address string) (conn net.Conn, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err = p.Dial(ctx, address)
	}()
	<-done
	return conn, err
}

// isTimeout reports whether an error of a connection or of a dial is a timeout.
func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// call makes a call over w. Afterwards it returns w to the pool, or closes w if an error
// or unexpected data makes it unusable.
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

// exchange sends a request over w and reads the answer, and is interrupted when ctx ends. Again is false if w cannot be
// reused, which includes every interrupted exchange.
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

// take removes the most recently used idle connection to an address from the pool, or returns nil.
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

// sweep closes the connections that were idle for more than MaxIdle. The caller holds the lock.
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

// forget closes the idle connections to an address, where another server may be listening now.
func (p *Pool) forget(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(address)
}

// drop closes all idle connections to an address. The caller holds the lock.
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
