package referee

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
)

// Orders come in while the referee ends: each is played before Wait returns, or not at all.
func TestNothingBeginsAfterTheReferee(t *testing.T) {
	t.Parallel()
	for range 200 {
		life, end := context.WithCancel(context.Background())
		var c taskGroup
		c.begin(life)
		var gone atomic.Bool
		var late atomic.Int32
		var orders sync.WaitGroup
		for range 4 {
			orders.Go(func() {
				c.Go(func() {
					c.Go(func() {}) // the end of a match is announced
					if gone.Load() {
						late.Add(1)
					}
				})
			})
		}
		end()
		c.Wait()
		gone.Store(true)
		orders.Wait()
		c.Wait()
		if n := late.Load(); n > 0 {
			t.Fatalf("%d began after the end", n)
		}
	}
}

func TestWaitReturnsWhenTheLastHasEnded(t *testing.T) {
	t.Parallel()
	var c taskGroup
	c.begin(t.Context())
	c.Wait() // nothing is under way
	var ended atomic.Int32
	for range 50 {
		c.Go(func() {
			c.Go(func() { ended.Add(1) })
			ended.Add(1)
		})
	}
	c.Wait()
	if n := ended.Load(); n != 100 {
		t.Errorf("%d had ended, want 100", n)
	}
}
