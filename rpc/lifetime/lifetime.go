package lifetime

import (
	"context"
	"sync"
	"time"
)

// A Context ends when End is called, or with its parent. It has the parent's deadline and values. Begin must be
// called first and once, and End at last, or the parent keeps a reference. It must not be copied after Begin.
type Context struct {
	parent context.Context
	above  *Context    // the lifetime below the parent; nil: a standard context
	place  Hook        // in the list of above
	leave  func() bool // deregisters from a standard parent

	mu    sync.Mutex
	err   error         // nil: it has not ended
	done  chan struct{} // nil: not requested yet
	first *Hook         // the first of the listeners
}

// Begin lets the context live until parent ends, or End is called.
func (c *Context) Begin(parent context.Context) {
	c.parent, c.above = parent, Of(parent)
	if c.above != nil {
		c.place.Who = c
		c.above.Tell(&c.place)
		return
	}
	if parent.Done() != nil {
		c.leave = context.AfterFunc(parent, func() { c.Ended(because(parent.Err(), context.Cause(parent))) })
	}
}

// End ends the context, with a reason for [context.Cause]; nil: [context.Canceled]. All children end too, before End
// returns. Only the first end counts.
func (c *Context) End(cause error) {
	c.Ended(because(context.Canceled, cause))
	if c.above != nil {
		c.above.Leave(&c.place)
	} else if c.leave != nil {
		c.leave()
	}
}

// Ended ends the context with an error, such as that of its parent, and calls all listeners.
func (c *Context) Ended(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = err
	if c.done != nil {
		close(c.done)
	}
	for h := c.first; h != nil; h = c.first {
		c.first = h.next
		h.prev, h.next, h.in = nil, nil, false
		h.Who.Ended(err)
	}
}

// Deadline is that of the parent.
func (c *Context) Deadline() (time.Time, bool) { return c.parent.Deadline() }

// Value is the parent's.
func (c *Context) Value(key any) any { return c.parent.Value(key) }

// Done returns a channel that is closed when the context ends.
func (c *Context) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
		if c.err != nil {
			close(c.done)
		}
	}
	return c.done
}

// Err is nil until the context or its parent has ended. For [errors.Is] it is [context.Canceled], or
// [context.DeadlineExceeded] if a parent has ended so, and its cause as well: the standard library reads the cause of
// a third-party context there.
func (c *Context) Err() error {
	c.mu.Lock()
	err := c.err
	c.mu.Unlock()
	if err == nil {
		err = c.parent.Err()
	}
	return err
}

// because is the error of a context that has ended with err, for a reason; nil: for none.
func because(err, cause error) error {
	if cause == nil || cause == err {
		return err
	}
	return &reasoned{err, cause}
}

// A reasoned error is one of a context that was ended for a reason, in the reason's words.
type reasoned struct{ err, cause error }

func (r *reasoned) Error() string   { return r.cause.Error() }
func (r *reasoned) Unwrap() []error { return []error{r.err, r.cause} }
