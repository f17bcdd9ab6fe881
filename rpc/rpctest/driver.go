package rpctest

import (
	"container/heap"
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"sync"
	"time"
)

// A driver decides the order of all steps in a simulation. Each wait for the network, the disk or the clock queues a
// step. The driver runs one step at a time, in an order computed from the seed and the step's name, and waits until all
// goroutines are blocked before the next one. So a seed determines the run, independent of the machine's scheduler.
type driver struct {
	seed  uint64
	start time.Time
	rest  func() // returns when every other goroutine waits

	mu    sync.Mutex
	queue steps
	count map[string]int
	trace []string
	wake  chan struct{}
}

// A step is something that happens at a time.
type step struct {
	at    time.Time
	name  string
	run   func()
	index int // in the queue; -1 when it has left it
}

func newDriver(seed uint64, rest func()) *driver {
	return &driver{seed: seed, start: time.Now(), rest: rest, count: map[string]int{}, wake: make(chan struct{}, 1)}
}

// name makes a step's name unique by appending a counter.
func (d *driver) name(what string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count[what]++
	return fmt.Sprintf("%s #%d", what, d.count[what])
}

// schedule queues a step for the time at.
func (d *driver) schedule(at time.Time, name string, run func()) *step {
	s := &step{at: at, name: name, run: run}
	d.mu.Lock()
	heap.Push(&d.queue, s)
	d.mu.Unlock()
	select {
	case d.wake <- struct{}{}:
	default:
	}
	return s
}

// drop removes a step from the queue, if it has not run yet.
func (d *driver) drop(s *step) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s != nil && s.index >= 0 {
		heap.Remove(&d.queue, s.index)
	}
}

// drive releases steps until ctx ends.
func (d *driver) drive(ctx context.Context) {
	for ctx.Err() == nil {
		d.rest()
		if s := d.next(); s != nil {
			s.run()
			continue
		}
		d.idle(ctx)
	}
}

// next removes the first step from the queue and returns it if it is due, or returns nil.
func (d *driver) next() *step {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.queue) == 0 || time.Now().Before(d.queue[0].at) {
		return nil
	}
	s := heap.Pop(&d.queue).(*step)
	d.trace = append(d.trace, fmt.Sprintf("%.6f %s", time.Since(d.start).Seconds(), s.name))
	return s
}

// idle waits until the first step is due or another one is queued. With an empty
// queue it sets no timer, so that synctest can detect a deadlock.
func (d *driver) idle(ctx context.Context) {
	d.mu.Lock()
	var due <-chan time.Time
	if len(d.queue) > 0 {
		due = time.After(time.Until(d.queue[0].at))
	}
	d.mu.Unlock()
	select {
	case <-due:
	case <-d.wake:
	case <-ctx.Done():
	}
}

// chance returns a number in [0, 1) that is a function of the seed and the words.
func (d *driver) chance(words ...string) float64 {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, d.seed)
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{0})
	}
	x := h.Sum64() // spread by the finalizer of splitmix64: fnv's high bits are weak
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	x ^= x >> 31
	return float64(x>>11) / (1 << 53)
}

// steps is a heap by time, then by name.
type steps []*step

func (q steps) Len() int { return len(q) }

// Less orders steps by time and then by name, so that the order does not depend on the scheduling of goroutines.
func (q steps) Less(i, j int) bool {
	if !q[i].at.Equal(q[j].at) {
		return q[i].at.Before(q[j].at)
	}
	return q[i].name < q[j].name
}

// Swap updates the index in each step, which drop uses.
func (q steps) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

// Push is for container/heap.
func (q *steps) Push(x any) {
	s := x.(*step)
	s.index = len(*q)
	*q = append(*q, s)
}

// Pop implements [heap.Interface]. It sets the index of the removed step to -1.
func (q *steps) Pop() any {
	old := *q
	s := old[len(old)-1]
	s.index = -1
	*q = old[:len(old)-1]
	return s
}
