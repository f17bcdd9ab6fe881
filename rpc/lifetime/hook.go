package lifetime

import "context"

// A Listener is told that a context has ended, and with which error. The context is locked meanwhile: a listener
// returns at once and asks nothing of it.
type Listener interface{ Ended(err error) }

// A Hook is the place of a listener among those that a [Context] tells. It is a field of the listener, so that to listen
// takes no memory. It is with one context at a time; whoever has it does not use it from two goroutines at once.
type Hook struct {
	Who Listener // set before it is used

	// Guarded by the context.
	prev, next *Hook
	in         bool
}

// Tell lets the hook's listener be told when the context ends: at once, if it has.
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

// Leave takes the hook out, and reports whether its listener has not been told. After it nobody is.
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

// AfterFunc is what [context.AfterFunc] does, and what the standard library's own contexts below this one use instead of
// a goroutine that waits for Done.
func (c *Context) AfterFunc(f func()) (stop func() bool) {
	h := &Hook{Who: inBackground(f)}
	c.Tell(h)
	return func() bool { return c.Leave(h) }
}

// inBackground is a listener for which a function is called on a goroutine of its own.
type inBackground func()

// Ended begins what was waiting for the end.
func (f inBackground) Ended(error) { go f() }

// A layer is a context that ends when the one below it does and not otherwise, but for a deadline that whoever waits
// looks at himself.
type layer interface{ Below() context.Context }

// Of returns the lifetime that a context stands on: with whose end it ends, and with no other. Nil: there is none.
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
