package wire

import (
	"context"
	"time"

	"agentleague/rpc/lifetime"
)

// A call ends when its context does, and so needs a notification: [context.AfterFunc] costs six objects a call. Most
// calls of an agent have the context of the agent itself. It gets a single [lifetime.Context], with which all calls
// under it are registered while they last; contexts that are lifetimes themselves need not even that.

// Watch announces many calls under ctx itself, or under contexts with the same Done: they end with it, as all others
// do, without separate resources. The watch lasts as long as ctx.
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

// watchOf returns the shared watch for the calls under a context; nil: there is none.
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
