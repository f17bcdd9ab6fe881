package referee

import (
	"context"
	"sync"
	"time"
)

// A Pulse measures how long its process stood still: stopped, swapped out, or
// without a processor. It asks to be woken again and again and adds up how late
// that is done. A referee with a pulse holds no time against a player in which
// it would not have noticed the answer.
type Pulse struct {
	mu    sync.Mutex
	due   time.Time // of the next beat; zero: it does not beat
	stood time.Duration
	rests []rest // the long ones, the newest last
}

// A rest is a stretch in which the process did nothing: from when it should have been woken until it was.
type rest struct{ from, to time.Time }

// since returns the part of the rest that lies after a moment.
func (r rest) since(t time.Time) time.Duration {
	if t.Before(r.from) {
		t = r.from
	}
	return max(0, r.to.Sub(t))
}

// maxRests is how many long rests are remembered: more than a question sees, even in a process that is always late.
const maxRests = 64

// Between two beats is beat; up to jitter late is as timers are.
const (
	beat   = 25 * time.Millisecond
	jitter = 15 * time.Millisecond
)

// Beat beats until ctx ends.
func (p *Pulse) Beat(ctx context.Context) {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for p.next(beat); ; p.next(beat) {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			p.next(0)
			return
		}
	}
}

// next counts the beat that was due, and schedules the next one; 0: never.
func (p *Pulse) next(in time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	late := p.late()
	p.stood += late
	if late >= punctual {
		p.rests = append(p.rests, rest{p.due, p.due.Add(late)})
		p.rests = p.rests[max(0, len(p.rests)-maxRests):]
	}
	if p.due = time.Now().Add(in); in == 0 {
		p.due = time.Time{}
	}
}

// late returns the delay of the due beat. The caller holds the lock.
func (p *Pulse) late() time.Duration {
	if late := time.Since(p.due); !p.due.IsZero() && late > jitter {
		return late
	}
	return 0
}

// Stood returns the total time that the process has stood still since the pulse began, up to now: a standstill is
// included at once, before the pulse itself wakes up.
func (p *Pulse) Stood() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stood + p.late()
}

// Longest returns the longest standstill after a moment, up to now. Standstills too short to affect a question are
// left out.
func (p *Pulse) Longest(since time.Time) (longest time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	longest = rest{p.due, p.due.Add(p.late())}.since(since) // of which the pulse itself has not woken yet
	for _, r := range p.rests {
		longest = max(longest, r.since(since))
	}
	return longest
}
