package outbox

import "time"

// Senders deliver messages to agents. Up to maxSenders of them work at once, which keeps every core busy without a
// connection and a goroutine for each of ten thousand players. A sender that waits for a slow agent is set aside: it
// does not count, and another one takes its place, so that slow agents do not delay others.
//
//	post ─▶ queue ─▶ 64 senders ─▶ agents that answer
//	   │                  └─ after 100 ms ─▶ aside, and its agent is marked as slow
//	   └─ box of a slow agent ─▶ a separate sender, aside
const (
	maxSenders    = 64
	slowSendDelay = 100 * time.Millisecond
	// maxLag is the delay of a timer above which the machine counts as busy.
	maxLag = 5 * time.Millisecond
	// maxAside limits the senders that wait for slow agents. Above that the queues of slow agents wait for a sender.
	maxAside = 512
)

// A sender is a goroutine that sends the messages of one agent's box, then those of the next box.
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

// enqueue starts a sender for a box, or queues the box if there are enough. The caller holds the lock.
func (o *Outbox) enqueue(b *box) {
	switch {
	case b.slow && o.aside < maxAside:
		o.hire(&sender{has: b, aside: true})
	case len(o.working)-o.aside < maxSenders:
		o.hire(&sender{has: b})
	default:
		o.queue = append(o.queue, b)
		if !o.relieving {
			o.relieving = true
			o.Go(o.relieve)
		}
	}
}

// hire starts a sender with its first box. The caller holds the lock.
func (o *Outbox) hire(c *sender) {
	o.working = append(o.working, c)
	if c.began = time.Now(); c.aside {
		o.aside++
	}
	o.Call(func() {
		for b := c.has; b != nil; b = o.take(c) {
			o.deliver(c, b)
		}
	})
}

// take assigns the next box to a sender. It returns nil if the sender must end.
func (o *Outbox) take(c *sender) *box {
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

// dequeue returns the oldest box without a sender, or nil. The caller holds the lock.
func (o *Outbox) dequeue() *box {
	if o.head == len(o.queue) {
		o.queue, o.head = o.queue[:0], 0
		return nil
	}
	b := o.queue[o.head]
	o.queue[o.head] = nil
	o.head++
	return b
}

// dismiss removes a sender that ends. The caller holds the lock.
func (o *Outbox) dismiss(c *sender) {
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

// stepAside sets aside a sender that is about to wait, so that another one replaces it.
func (o *Outbox) stepAside(c *sender) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.putAside(c)
	o.fill()
}

// putAside excludes a sender from the count of maxSenders. The caller holds the lock.
func (o *Outbox) putAside(c *sender) {
	if !c.aside && o.aside < maxAside {
		c.aside = true
		o.aside++
	}
}

// fill starts senders while boxes are queued and fewer than maxSenders work. The caller holds the lock.
func (o *Outbox) fill() {
	for len(o.working)-o.aside < maxSenders {
		b := o.dequeue()
		if b == nil {
			return
		}
		o.hire(&sender{has: b})
	}
}

// relieve repeatedly sets aside the senders that wait for slow agents, until no box is queued. If the pause itself was
// too long, this machine is busy: more senders would make it slower.
func (o *Outbox) relieve() {
	for began := time.Now(); o.Sleep(o.Context, "senders", slowSendDelay) == nil; began = time.Now() {
		busy := time.Since(began) > slowSendDelay+maxLag
		if !o.relieveOnce(time.Now(), busy) {
			return
		}
	}
}

// relieveOnce sets aside the senders that have waited for a slow agent too long, so that others replace them, unless the
// machine is busy. It returns false if no box is queued.
func (o *Outbox) relieveOnce(now time.Time, busy bool) (again bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.relieving = o.head < len(o.queue)
	if !o.relieving {
		return false
	}
	for _, c := range o.working {
		if !busy && !c.aside && now.Sub(c.began) >= slowSendDelay {
			c.has.slow = true
			o.putAside(c)
		}
	}
	o.fill()
	return true
}
