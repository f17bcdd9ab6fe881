package wire

import (
	"context"
	"sync"
	"time"
)

// A call ends when its context does, and for that somebody has to be told when
// the context ends: [context.AfterFunc] costs six objects a call. Most calls of an
// agent have the context of the agent itself. For such a one there is a single
// watch, which all calls under it are with while they last.

// A watch ends the calls under one context when that ends.
type watch struct {
	mu    sync.Mutex
	ended bool
	first *wire // of the calls under way
}

// Watch says that many calls will be made under ctx itself, or under contexts
// that have its Done: they are ended at once when it ends, as all others are,
// and need nothing of their own for it. The watch lasts as long as ctx.
func (p *Pool) Watch(ctx context.Context) {
	done := ctx.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	if done == nil || p.watches[done] != nil {
		return
	}
	if p.watches == nil {
		p.watches = map[<-chan struct{}]*watch{}
	}
	w := &watch{}
	p.watches[done] = w
	context.AfterFunc(ctx, func() {
		w.end()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.watches, done)
	})
}

// watchOf returns the watch over a context, or nil.
func (p *Pool) watchOf(done <-chan struct{}) *watch {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.watches[done]
}

// end interrupts all calls that are under way, and all that come.
func (h *watch) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
	for w := h.first; w != nil; w = w.next {
		w.interrupt()
	}
}

// add lets a wire be interrupted.
func (h *watch) add(w *wire) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		w.interrupt()
	}
	w.prev, w.next = nil, h.first
	if w.next != nil {
		w.next.prev = w
	}
	h.first = w
}

// remove ends that, and reports whether the wire has not been interrupted.
func (h *watch) remove(w *wire) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if w.next != nil {
		w.next.prev = w.prev
	}
	if w.prev != nil {
		w.prev.next = w.next
	} else {
		h.first = w.next
	}
	w.prev, w.next = nil, nil
	return !h.ended
}

// interrupt ends the call under way, if there is one.
func (w *wire) interrupt() { _ = w.conn.SetDeadline(time.Unix(1, 0)) }
