package lifetime

import "context"

// A Listener is notified of the end of a [Context]. Ended is called once, with the context's error and while the
// context is locked: it must return at once and must not call methods of the context.
type Listener interface{ Ended(err error) }

// A Hook is a listener's element in the list of a [Context]. It is a field of the listener's struct, so that listening
// allocates nothing. It can be in only one list at a time, and is not safe for concurrent use.
type Hook struct {
	Who Listener // set before it is used

	// Guarded by the context.
	prev, next *Hook
	in         bool
}

// Tell registers the hook's listener. If the context has already ended, the listener is called before Tell returns.
func (c *Context) Tell(h *Hook) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		h.Who.Ended(c.err)
		return
	}
	h.prev, h.next, h.in = nil, c.first, true
	if h.next != nil {
		h.next.prev = h
	}
	c.first = h
}

// Leave removes the hook. It returns true if the listener was not called, which it will not be afterwards.
func (c *Context) Leave(h *Hook) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !h.in {
		return false
	}
	if h.next != nil {
		h.next.prev = h.prev
	}
	if h.prev != nil {
		h.prev.next = h.next
	} else {
		c.first = h.next
	}
	h.prev, h.next, h.in = nil, nil, false
	return true
}

// AfterFunc calls f on a new goroutine after the context has ended, like [context.AfterFunc]. Contexts of the standard
// library that are derived from c use it instead of a goroutine that waits for Done.
func (c *Context) AfterFunc(f func()) (stop func() bool) {
	h := &Hook{Who: inBackground(f)}
	c.Tell(h)
	return func() bool { return c.Leave(h) }
}

// inBackground is a listener that calls a function on a new goroutine.
type inBackground func()

// Ended starts the function.
func (f inBackground) Ended(error) { go f() }

// A layer is a context derived from Below that ends exactly when Below ends. It may have an earlier deadline, which its
// users check themselves.
type layer interface{ Below() context.Context }

// Of returns the Context that ends exactly when ctx does: ctx itself, or the one below its layers. It returns nil if
// there is none.
func Of(ctx context.Context) *Context {
	for {
		switch one := ctx.(type) {
		case *Context:
			return one
		case layer:
			ctx = one.Below()
		default:
			return nil
		}
	}
}
