package wire

import (
	"context"
	"time"

	"agentleague/rpc/lifetime"
)

// A call ends when its context does, and for that somebody has to be told when
// the context ends: [context.AfterFunc] costs six objects a call. Most calls of an
// agent have the context of the agent itself. For such a one there is a single
// [lifetime.Context], which all calls under it are with while they last; contexts that
// are such themselves need not even that.

// Watch says that many calls will be made under ctx itself, or under contexts
// that have its Done: they are ended at once when it ends, as all others are,
// and need nothing of their own for it. The watch lasts as long as ctx.
func (p *Pool) Watch(ctx context.Context) {
	if lifetime.Of(ctx) != nil {
		return // it watches itself
	}
	done := ctx.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	if done == nil || p.watches[done] != nil {
		return
	}
	if p.watches == nil {
		p.watches = map[<-chan struct{}]*lifetime.Context{}
	}
	e := &lifetime.Context{}
	e.Begin(ctx)
	p.watches[done] = e
	context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.watches, done)
	})
}

// watchOf returns what tells the calls under a context of its end, and costs them nothing; nil: there is no such thing.
func (p *Pool) watchOf(ctx context.Context) *lifetime.Context {
	if e := lifetime.Of(ctx); e != nil {
		return e
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.watches[ctx.Done()]
}

// Ended interrupts the call under way: its context has ended.
func (w *wire) Ended(error) { w.interrupt() }

// interrupt ends the call under way, if there is one.
func (w *wire) interrupt() { _ = w.conn.SetDeadline(time.Unix(1, 0)) }
