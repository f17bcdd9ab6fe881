// Package workerpool reuses goroutines so that their stacks need not grow again.
//
// A goroutine that makes a call or checks a signature needs more stack than it starts with, and the runtime copies the
// stack two or three times on the way. With fifty matches at a time this takes 5 % of a referee's CPU.
package workerpool

import "sync"

// maxIdle is the maximum number of idle goroutines. A match keeps two to three busy, and a round has dozens of
// concurrent matches. Idle goroutines are cheap, since the garbage collector shrinks unused stacks.
const maxIdle = 256

// A Pool runs functions on reused goroutines. The zero value is ready to use. Its owner calls Close, without which idle
// goroutines never end. A Pool is safe for concurrent use.
type Pool struct {
	mu     sync.Mutex
	idle   []chan func() // of the waiting goroutines, the latest last
	closed bool
}

// Go runs f on another goroutine and does not wait for it.
func (p *Pool) Go(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		go p.work(f)
		return
	}
	p.idle[last] <- f // never blocks: the buffer is empty and p.mu excludes other senders
	p.idle[last], p.idle = nil, p.idle[:last]
}

// Close ends the idle goroutines. Running functions continue, and Go still runs functions afterwards.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, more := range p.idle {
		close(more)
	}
	p.idle, p.closed = nil, true
}

// work calls f, and then the functions that it receives, until the pool is closed or full.
func (p *Pool) work(f func()) {
	more := make(chan func(), 1)
	for f != nil {
		f()
		if !p.wait(more) {
			return
		}
		f = <-more
	}
}

// wait registers a goroutine as idle. It returns false if the pool is closed or full.
func (p *Pool) wait(more chan func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle) == maxIdle {
		return false
	}
	p.idle = append(p.idle, more)
	return true
}
