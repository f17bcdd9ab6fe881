package lifetime

import (
	"context"
	"sync"
	"time"
)

// A Context is a [context.Context] that ends when End is called or with its parent. It has the parent's deadline and
// values. Call Begin once before any other method, and End in any case, since the parent keeps a reference until then.
// It must not be copied after Begin.
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

// Begin starts the context, as a child of parent.
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

// End ends the context and all its children before it returns. cause is for [context.Cause]; nil means
// [context.Canceled]. Further calls do nothing.
func (c *Context) End(cause error) {
	c.Ended(because(context.Canceled, cause))
	if c.above != nil {
		c.above.Leave(&c.place)
	} else if c.leave != nil {
		c.leave()
	}
}

// Ended ends the context with an error and calls all listeners. The parent calls it when it ends.
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

// Err returns nil until the context has ended. [errors.Is] matches the returned error with [context.Canceled], or with
// [context.DeadlineExceeded] if the parent's deadline has passed, and also with the cause: the standard library reads
// the cause of a third-party context there.
func (c *Context) Err() error {
	c.mu.Lock()
	err := c.err
	c.mu.Unlock()
	if err == nil {
		err = c.parent.Err()
	}
	return err
}

// because returns err with a cause, or err itself if the cause is nil.
func because(err, cause error) error {
	if cause == nil || cause == err {
		return err
	}
	return &reasoned{err, cause}
}

// A reasoned is the error of a context with a cause; its text is that of the cause.
type reasoned struct{ err, cause error }

func (r *reasoned) Error() string   { return r.cause.Error() }
func (r *reasoned) Unwrap() []error { return []error{r.err, r.cause} }
