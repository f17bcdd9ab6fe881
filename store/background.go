package store

import (
	"sync"
	"time"
)

// A background writes the derived files of a process, one at a time: histories and witnesses of players, and the
// match records for people. It writes for at most 1/workRatio of the time, because the machine belongs to the
// matches in play; time in which it had nothing to write is saved up to maxSaved. Everything that waits is written
// in the order of its first request. It has a goroutine only while something waits.
type background struct {
	mu      sync.Mutex
	waiting []pending
	busy    bool      // the goroutine runs
	even    time.Time // when the writes so far are 1/workRatio of the time
}

// A pending is a source of derived files to write. It may be queued at most once in a background.
type pending interface {
	// writeNext writes one file or a few, and reports whether there are more.
	writeNext() (more bool)
}

// Limits of the background writer.
const (
	workRatio = 50
	maxSaved  = 3200 * time.Millisecond // enough for 64 ms of writes at once
	// maxRest is the longest pause: on a busy machine or a slow disk, a write takes long without working long.
	maxRest = 100 * time.Millisecond
)

// derived writes the derived files of this process.
var derived background

// add schedules the files of p, which must not be waiting.
func (b *background) add(p pending) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, p)
	if !b.busy {
		b.busy = true
		go b.work() // ends when nothing waits
	}
}

// work writes files until the queue is empty.
func (b *background) work() {
	for p := b.next(); p != nil; p = b.next() {
		start := time.Now()
		if p.writeNext() {
			b.add(p)
		}
		end := time.Now()
		time.Sleep(b.rest(end, end.Sub(start)))
	}
}

// next removes and returns the first entry of the queue. If it returns nil, the queue is empty and the calling
// goroutine must end.
func (b *background) next() (p pending) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) == 0 {
		b.waiting, b.busy = nil, false
		return nil
	}
	p = b.waiting[0]
	b.waiting[0] = nil
	b.waiting = b.waiting[1:]
	return p
}

// rest returns the pause after a write that ended at now and took wrote.
func (b *background) rest(now time.Time, wrote time.Duration) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if saved := now.Add(-maxSaved); b.even.Before(saved) {
		b.even = saved
	}
	b.even = b.even.Add(workRatio * wrote)
	if most := now.Add(maxRest); b.even.After(most) {
		b.even = most
	}
	return max(b.even.Sub(now), 0)
}
