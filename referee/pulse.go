package referee

import (
	"context"
	"sync"
	"time"
)

// A Pulse measures how long its process was suspended: stopped, swapped out, or without a processor. It sets short
// timers and adds up how late they fire. A referee with a Pulse does not count against a player the time in which the
// referee could not have noticed an answer. A Pulse is safe for concurrent use.
type Pulse struct {
	mu    sync.Mutex
	due   time.Time // of the next beat; zero: it does not beat
	stood time.Duration
	rests []rest // the long ones, the newest last
}

// A rest is one suspension of the process: from the time when a timer was due until it fired.
type rest struct{ from, to time.Time }

// since returns how much of the suspension r was after time t.
func (r rest) since(t time.Time) time.Duration {
	if t.Before(r.from) {
		t = r.from
	}
	return max(0, r.to.Sub(t))
}

// maxRests is the maximum number of stored suspensions; the oldest are dropped.
const maxRests = 64

// beat is the interval of a [Pulse]'s timer. A delay of up to jitter is normal and does not count as a suspension.
const (
	beat   = 25 * time.Millisecond
	jitter = 15 * time.Millisecond
)

// Beat runs the timer that detects suspensions, until ctx ends.
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

// next adds the delay of the timer that fired to the total, and sets the next timer to fire after in; with 0 it sets
// none.
func (p *Pulse) next(in time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	late := p.late()
	p.stood += late
	if late >= ignoredSuspension {
		p.rests = append(p.rests, rest{p.due, p.due.Add(late)})
		p.rests = p.rests[max(0, len(p.rests)-maxRests):]
	}
	if p.due = time.Now().Add(in); in == 0 {
		p.due = time.Time{}
	}
}

// late returns the delay of the timer that is due. The caller holds the lock.
func (p *Pulse) late() time.Duration {
	if late := time.Since(p.due); !p.due.IsZero() && late > jitter {
		return late
	}
	return 0
}

// Suspended returns the total time for which the process was suspended since Beat began. It includes a
// suspension that has just ended, even if the timer has not fired yet.
func (p *Pulse) Suspended() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stood + p.late()
}

// Longest returns the longest suspension of the process between the time since and now. It ignores suspensions that are
// too short to affect a question.
func (p *Pulse) Longest(since time.Time) (longest time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	longest = rest{p.due, p.due.Add(p.late())}.since(since) // of which the pulse itself has not woken yet
	for _, r := range p.rests {
		longest = max(longest, r.since(since))
	}
	return longest
}
