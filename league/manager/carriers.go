package manager

import "time"

// Carriers deliver messages to agents. This number keeps every core busy without a connection and a goroutine
// for each of ten thousand players, which could exceed the limit of open files. A carrier that
// waits for a slow agent does not count: another one takes its place, so that slow agents do not delay others.
//
//	post ─▶ queue ─▶ 64 carriers ─▶ agents that answer
//	   │                  └─ after 100 ms ─▶ aside, and its agent is marked as slow
//	   └─ box of a slow agent ─▶ a separate carrier, aside
const (
	maxCarriers = 64
	patience    = 100 * time.Millisecond
	// maxAside bounds the carriers that wait for slow agents: beyond it even these wait for each other.
	maxAside = 2048
)

// A carrier sends the messages of one box at a time.
type carrier struct {
	has   *box
	began time.Time // its newest call
	aside bool      // it does not count: it waits for a slow agent
}

// carriers are the workers of an outbox, guarded by its lock.
type carriers struct {
	queue     []*box // that no carrier has taken, oldest first
	head      int    // of the queue: those before it are taken
	working   []*carrier
	aside     int  // how many of them do not count
	relieving bool // a goroutine relieves slow carriers
}

// enqueue queues a box for a carrier. The outbox is locked.
func (o *outbox) enqueue(b *box) {
	switch {
	case b.slow && o.aside < maxAside:
		o.hire(&carrier{has: b, aside: true})
	case len(o.working)-o.aside < maxCarriers:
		o.hire(&carrier{has: b})
	default:
		o.queue = append(o.queue, b)
		if !o.relieving {
			o.relieving = true
			o.running.Go(o.relieve)
		}
	}
}

// hire starts a carrier that has a box. The outbox is locked.
func (o *outbox) hire(c *carrier) {
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

// take gives a carrier the next box, or dismisses it.
func (o *outbox) take(c *carrier) *box {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c.aside && o.head < len(o.queue) && len(o.working)-o.aside < maxCarriers {
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

// dequeue returns the oldest box that no carrier has, or nil. The outbox is locked.
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

// dismiss forgets a carrier. The outbox is locked.
func (o *outbox) dismiss(c *carrier) {
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

// stepAside lets another carrier replace one that will wait.
func (o *outbox) stepAside(c *carrier) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.putAside(c)
	o.fill()
}

// putAside no longer counts a carrier. The outbox is locked.
func (o *outbox) putAside(c *carrier) {
	if !c.aside && o.aside < maxAside {
		c.aside = true
		o.aside++
	}
}

// fill starts carriers while boxes wait and there may be more. The outbox is locked.
func (o *outbox) fill() {
	for len(o.working)-o.aside < maxCarriers {
		b := o.dequeue()
		if b == nil {
			return
		}
		o.hire(&carrier{has: b})
	}
}

// relieve puts carriers aside that wait for slow agents, as long as boxes wait for a carrier.
func (o *outbox) relieve() {
	for o.Node.Sleep(o.ctx, "carriers", patience) == nil {
		if !o.relieveOnce(time.Now()) {
			return
		}
	}
}

// relieveOnce sets aside the carriers that have waited for a slow agent too long, so that others replace them. It
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
