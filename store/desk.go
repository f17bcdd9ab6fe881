package store

import (
	"sync"
	"time"
)

// A desk schedules the writes of all memories of a process. It writes them in the order of their requests: a burst
// at once, then one per turn, so that many players do not take the disk from their matches. It has a goroutine
// only while memories are queued.
//
// In steady play all memories together write for at most 1/restRatio of the time. To that end each memory rests after
// its write, at least minRest and at most burst turns. Since the order of rests is the order of writes, none of n
// memories is written later than max(n, burst) turns after its request, not counting the duration of the writes.
type desk struct {
	turn  time.Duration // between two memories
	burst int           // the number of turns that can be saved up
	slots chan struct{} // a semaphore: limits concurrent writes, including those of writeNow

	mu      sync.Mutex
	waiting []*Memory
	busy    bool      // the goroutine runs
	paid    time.Time // up to when turns are taken
	even    time.Time // when the time that was spent on writing is a fiftieth
}

const (
	restRatio = 50          // ratio of rests to writes, over all memories
	minRest   = time.Second // of one memory
)

// processDesk is the desk of this process.
var processDesk = newDesk(50*time.Millisecond, 64)

func newDesk(turn time.Duration, burst int) *desk {
	return &desk{turn: turn, burst: burst, slots: make(chan struct{}, 16)}
}

// queueAfter queues a memory after a delay.
func (d *desk) queueAfter(rest time.Duration, m *Memory) {
	if rest > 0 {
		time.AfterFunc(rest, func() { d.queue(m) })
		return
	}
	d.queue(m)
}

// queue appends a memory to the queue, and starts the goroutine if necessary.
func (d *desk) queue(m *Memory) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting = append(d.waiting, m)
	if !d.busy {
		d.busy = true
		go d.work() // ends when the queue is empty; Memory.Close waits for a memory
	}
}

// writeNow runs write at once, without a turn. It first waits until fewer than the maximum number of writes run.
func (d *desk) writeNow(write func()) {
	d.slots <- struct{}{}
	defer func() { <-d.slots }()
	write()
}

// work writes memories until none waits.
func (d *desk) work() {
	for {
		m, pause := d.next()
		if m == nil {
			return
		}
		time.Sleep(pause)
		d.writeNow(func() { m.writeInTurn(d) })
	}
}

// rest records that a write ended at now and took wrote. It returns how long the memory must rest.
func (d *desk) rest(now time.Time, wrote time.Duration) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	most := max(time.Duration(d.burst)*d.turn, minRest)
	if d.even.Before(now) {
		d.even = now
	}
	d.even = d.even.Add(restRatio * wrote)
	if latest := now.Add(most); d.even.After(latest) { // a slow disk is not held against those that come after it
		d.even = latest
	}
	return max(d.even.Sub(now), minRest)
}

// next removes the first memory from the queue, and returns it with the time until its turn. It returns nil if the
// queue is empty, and the goroutine must end.
func (d *desk) next() (m *Memory, pause time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.waiting) == 0 {
		d.waiting, d.busy = nil, false
		return nil, 0
	}
	m = d.waiting[0]
	d.waiting[0] = nil
	d.waiting = d.waiting[1:]
	return m, d.take(time.Now())
}

// take reserves the next turn, and returns the time until then. The caller holds the lock.
func (d *desk) take(now time.Time) time.Duration {
	from := now.Add(-time.Duration(d.burst-1) * d.turn)
	if d.paid.Before(from) {
		d.paid = from
	}
	pause := d.paid.Sub(now)
	d.paid = d.paid.Add(d.turn)
	return max(pause, 0)
}
