package store

import (
	"sync"
	"time"
)

// A desk is where the memories of a process are written: one after the other, in the order in which they came, a few at
// once and then one every turn, so that a crowd leaves the disk to its matches. While nothing waits it has no
// goroutine.
//
// In steady play all memories together write for a fiftieth of the time: each that was written rests until that is so,
// but at least a second, and at most a burst of turns. Who was written first has rested first, so of n memories none is
// more than max(n, burst) turns behind, apart from the time of the writes themselves.
type desk struct {
	turn  time.Duration // between two memories
	burst int           // so many at once, after a while without any
	hands chan struct{} // as many as may write at the same time, with those that cannot wait

	mu      sync.Mutex
	waiting []*Memory
	busy    bool      // somebody is writing them
	paid    time.Time // up to when turns are taken
	even    time.Time // when the time that was spent on writing is a fiftieth
}

const (
	share   = 50          // so many times as long as they write, memories rest together
	minRest = time.Second // of one memory
)

// everybody is the desk of this process.
var everybody = newDesk(50*time.Millisecond, 64)

func newDesk(turn time.Duration, burst int) *desk {
	return &desk{turn: turn, burst: burst, hands: make(chan struct{}, 16)}
}

// in has a memory written after a while.
func (d *desk) in(rest time.Duration, m *Memory) {
	if rest > 0 {
		time.AfterFunc(rest, func() { d.queue(m) })
		return
	}
	d.queue(m)
}

// queue has a memory written when it is its turn.
func (d *desk) queue(m *Memory) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting = append(d.waiting, m)
	if !d.busy {
		d.busy = true
		go d.work() // it ends when nothing waits; who has to see the end of a memory closes it
	}
}

// now lets somebody write who cannot wait for a turn, beside a few others.
func (d *desk) now(write func()) {
	d.hands <- struct{}{}
	defer func() { <-d.hands }()
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
		d.now(func() { m.turn(d) })
	}
}

// rest notes that a memory was written for a while, up to now, and tells how long it rests.
func (d *desk) rest(now time.Time, wrote time.Duration) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	most := max(time.Duration(d.burst)*d.turn, minRest)
	if d.even.Before(now) {
		d.even = now
	}
	d.even = d.even.Add(share * wrote)
	if latest := now.Add(most); d.even.After(latest) { // a slow disk is not held against those that come after it
		d.even = latest
	}
	return max(d.even.Sub(now), minRest)
}

// next takes the memory that came first, and tells how long its turn is off.
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

// take takes a turn, and returns how long that is off. The caller holds the lock.
func (d *desk) take(now time.Time) time.Duration {
	from := now.Add(-time.Duration(d.burst-1) * d.turn)
	if d.paid.Before(from) {
		d.paid = from
	}
	pause := d.paid.Sub(now)
	d.paid = d.paid.Add(d.turn)
	return max(pause, 0)
}
