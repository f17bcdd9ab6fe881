package manager

import "time"

// Senders deliver messages to agents. This number keeps every core busy without a connection and a goroutine
// for each of ten thousand players, which could exceed the limit of open files. A sender that
// waits for a slow agent does not count: another one takes its place, so that slow agents do not delay others.
//
//	post ─▶ queue ─▶ 64 senders ─▶ agents that answer
//	   │                  └─ after 100 ms ─▶ aside, and its agent is marked as slow
//	   └─ box of a slow agent ─▶ a separate sender, aside
const (
	maxSenders = 64
	patience   = 100 * time.Millisecond
	// maxAside bounds the senders that wait for slow agents: beyond it even these wait for each other.
	maxAside = 2048
)

// A sender sends the messages of one box at a time.
type sender struct {
	has   *box
	began time.Time // its newest call
	aside bool      // it does not count: it waits for a slow agent
}

// senders are the workers of an outbox, guarded by its lock.
type senders struct {
	queue     []*box // that no sender has taken, oldest first
	head      int    // of the queue: those before it are taken
	working   []*sender
	aside     int  // how many of them do not count
	relieving bool // a goroutine relieves slow senders
}

// enqueue queues a box for a sender. The outbox is locked.
func (o *outbox) enqueue(b *box) {
	switch {
	case b.slow && o.aside < maxAside:
		o.hire(&sender{has: b, aside: true})
	case len(o.working)-o.aside < maxSenders:
		o.hire(&sender{has: b})
	default:
		o.queue = append(o.queue, b)
		if !o.relieving {
			o.relieving = true
			o.running.Go(o.relieve)
		}
	}
}

// hire starts a sender that has a box. The outbox is locked.
func (o *outbox) hire(c *sender) {
	o.working = append(o.working, c)
	if c.began = time.Now(); c.aside {
		o.aside++
	}
	o.running.Call(func() {
		for b := c.has; b != nil; b = o.take(c) {
			o.deliver(c, b)
		}
	})
}

// take gives a sender the next box, or dismisses it.
func (o *outbox) take(c *sender) *box {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c.aside && o.head < len(o.queue) && len(o.working)-o.aside < maxSenders {
		c.aside = false
		o.aside--
	}
	if c.has = nil; !c.aside {
		c.has = o.dequeue()
	}
	if c.has == nil {
		o.dismiss(c)
	}
	return c.has
}

// dequeue returns the oldest box that no sender has, or nil. The outbox is locked.
func (o *outbox) dequeue() *box {
	if o.head == len(o.queue) {
		o.queue, o.head = o.queue[:0], 0
		return nil
	}
	b := o.queue[o.head]
	o.queue[o.head] = nil
	o.head++
	return b
}

// dismiss forgets a sender. The outbox is locked.
func (o *outbox) dismiss(c *sender) {
	for i, other := range o.working {
		if other == c {
			last := len(o.working) - 1
			o.working[i], o.working[last] = o.working[last], nil
			o.working = o.working[:last]
			break
		}
	}
	if c.aside {
		o.aside--
	}
}

// stepAside lets another sender replace one that will wait.
func (o *outbox) stepAside(c *sender) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.putAside(c)
	o.fill()
}

// putAside no longer counts a sender. The outbox is locked.
func (o *outbox) putAside(c *sender) {
	if !c.aside && o.aside < maxAside {
		c.aside = true
		o.aside++
	}
}

// fill starts senders while boxes wait and there may be more. The outbox is locked.
func (o *outbox) fill() {
	for len(o.working)-o.aside < maxSenders {
		b := o.dequeue()
		if b == nil {
			return
		}
		o.hire(&sender{has: b})
	}
}

// relieve puts senders aside that wait for slow agents, as long as boxes wait for a sender.
func (o *outbox) relieve() {
	for o.Node.Sleep(o.ctx, "senders", patience) == nil {
		if !o.relieveOnce(time.Now()) {
			return
		}
	}
}

// relieveOnce sets aside the senders that have waited for a slow agent too long, so that others replace them. It
// returns false once nothing is queued, which ends the relieving.
func (o *outbox) relieveOnce(now time.Time) (again bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.relieving = o.head < len(o.queue)
	if !o.relieving {
		return false
	}
	for _, c := range o.working {
		if !c.aside && now.Sub(c.began) >= patience {
			c.has.slow = true
			o.putAside(c)
		}
	}
	o.fill()
	return true
}
