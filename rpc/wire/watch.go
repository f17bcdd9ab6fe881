package wire

import (
	"context"
	"time"

	"agentleague/rpc/lifetime"
)

// Each call must be interrupted when its context ends, but [context.AfterFunc] needs six allocations per call. Most
// calls of an agent have the agent's own context, or one with the same Done: for it there is a single
// [lifetime.Context], with which these calls are registered without allocations. Contexts that are lifetimes themselves
// need no such registration.

// Watch makes calls under ctx, and under contexts with the same Done, cheaper: they share one registration with ctx.
// It lasts until ctx ends, and does not change when calls are interrupted.
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

// watchOf returns the lifetime that ends with a context, or nil if there is none.
func (p *Pool) watchOf(ctx context.Context) *lifetime.Context {
	if e := lifetime.Of(ctx); e != nil {
		return e
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.watches[ctx.Done()]
}

// Ended interrupts the call in progress, because its context has ended.
func (w *wire) Ended(error) { w.interrupt() }

// interrupt makes the call in progress fail by a deadline in the past.
func (w *wire) interrupt() { _ = w.conn.SetDeadline(time.Unix(1, 0)) }
