package referee

import (
	"context"
	"sync"

	"agentleague/rpc/workerpool"
)

// A company is what a referee has under way, each on a goroutine of its own. An order may come in while somebody already
// waits for the last to end, which a [sync.WaitGroup] does not allow.
type company struct {
	life    context.Context // of the referee
	workers workerpool.Pool

	mu   sync.Mutex
	n    int
	none chan struct{} // closed when the last has ended; nil: nobody waits for that
}

// begin comes first. The goroutines end with life.
func (c *company) begin(life context.Context) {
	c.life = life
	context.AfterFunc(life, c.workers.Close)
}

// Go has f called on a goroutine. Once the referee's life and all that it had under way have ended, it is not called:
// whoever waited for that has let go of what f needs.
func (c *company) Go(f func()) {
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

// leave is the end of one of them.
func (c *company) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n--; c.n == 0 && c.none != nil {
		close(c.none)
		c.none = nil
	}
}

// Wait returns when nothing is under way.
func (c *company) Wait() {
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
