package lifetime

import "context"

// A Listener is called when a context has ended, with the error. The context is locked during the call: a listener
// returns at once and calls no method of it.
type Listener interface{ Ended(err error) }

// A Hook is the place of a listener in the list of a [Context]. It is a field of the listener, so that listening
// allocates nothing. It is in one list at a time, and not safe for concurrent use.
type Hook struct {
	Who Listener // set before it is used

	// Guarded by the context.
	prev, next *Hook
	in         bool
}

// Tell registers the hook's listener for the end of the context. If it has ended, the listener is called at once.
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

// Leave removes the hook, and reports whether its listener was not called. It is not called afterwards.
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

// AfterFunc implements [context.AfterFunc], and is used by the standard library's contexts below this one instead of
// a goroutine that waits for Done.
func (c *Context) AfterFunc(f func()) (stop func() bool) {
	h := &Hook{Who: inBackground(f)}
	c.Tell(h)
	return func() bool { return c.Leave(h) }
}

// inBackground is a listener that calls a function on a new goroutine.
type inBackground func()

// Ended starts the function.
func (f inBackground) Ended(error) { go f() }

// A layer is a context that ends exactly when the one below it does, apart from a deadline that its users check
// themselves.
type layer interface{ Below() context.Context }

// Of returns the lifetime below a context: the context ends exactly when it does. Nil: there is none.
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
