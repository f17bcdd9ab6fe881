package referee

import (
	"context"
	"sync"

	"agentleague/rpc/workerpool"
)

// A taskGroup tracks the goroutines of a referee. Unlike with [sync.WaitGroup], Go may be called while another
// goroutine waits, even if the count is zero.
type taskGroup struct {
	life    context.Context // of the referee
	workers workerpool.Pool

	mu   sync.Mutex
	n    int
	none chan struct{} // closed when the last has ended; nil: no waiter
}

// begin initializes the group; call it before all other methods. life is the referee's lifetime.
func (c *taskGroup) begin(life context.Context) {
	c.life = life
	context.AfterFunc(life, c.workers.Close)
}

// Go runs f on a new goroutine. After the end of life, once no goroutine is left, Go does nothing: a waiter may already
// have released the resources that f needs.
func (c *taskGroup) Go(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == 0 && c.life.Err() != nil {
		return
	}
	c.n++
	c.workers.Go(func() {
		defer c.leave()
		f()
	})
}

// leave records the end of one goroutine.
func (c *taskGroup) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n--; c.n == 0 && c.none != nil {
		close(c.none)
		c.none = nil
	}
}

// Wait returns when no goroutine of the group is running.
func (c *taskGroup) Wait() {
	c.mu.Lock()
	if c.n > 0 && c.none == nil {
		c.none = make(chan struct{})
	}
	none := c.none
	c.mu.Unlock()
	if none != nil {
		<-none
	}
}
