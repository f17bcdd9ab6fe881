// Package hands is goroutines that are used again, for those who would start many of them.
//
// A goroutine that makes a call, or checks a signature, needs a larger stack than it begins with, and the runtime gives
// it one by copying what is there, twice or three times. One that is done and waits for more to do has its stack
// already. To a referee with fifty matches at a time that is a twentieth of what it does.
package hands

import "sync"

// maxIdle is how many goroutines wait for more to do: a match keeps two to three of its referee busy, and a round has
// dozens of matches at a time. Those that wait for long take little: the collector halves a stack that is not used.
const maxIdle = 256

// Hands do what they are given, each thing on a goroutine of its own. The zero value is ready. Who has them ends them:
// goroutines that wait for more do not end by themselves.
type Hands struct {
	mu    sync.Mutex
	idle  []chan func() // where those that are done wait for more, the latest last
	ended bool          // nobody waits any more
}

// Do has f called on a goroutine, at once.
func (h *Hands) Do(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	last := len(h.idle) - 1
	if last < 0 {
		go h.work(f)
		return
	}
	h.idle[last] <- f // it has room for one, and nobody else has it
	h.idle[last], h.idle = nil, h.idle[:last]
}

// End lets go of those that wait for more. What is under way goes on, and what is given later is done as well.
func (h *Hands) End() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, more := range h.idle {
		close(more)
	}
	h.idle, h.ended = nil, true
}

// work calls f, and then whatever else it is given.
func (h *Hands) work(f func()) {
	more := make(chan func(), 1)
	for f != nil {
		f()
		if !h.wait(more) {
			return
		}
		f = <-more
	}
}

// wait notes that somebody is done and waits for more, or returns false: there are enough.
func (h *Hands) wait(more chan func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended || len(h.idle) == maxIdle {
		return false
	}
	h.idle = append(h.idle, more)
	return true
}
