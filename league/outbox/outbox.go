// Package outbox delivers messages to many agents: in order to each, and without a delay by those that are slow.
package outbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// A Parcel is a message to several agents. It is immutable and shared by the boxes of all its receivers.
type Parcel struct {
	Label   string
	Kind    string // of news: a missed message is superseded by the next of its kind; "" if it is not
	Message func(id string) protocol.Message
	// Tried is called once for each receiver: after the first try, or when the message is dropped before it. It must not
	// call Post.
	Tried func(id string, acknowledged bool)
}

// A box is the queue of messages for one agent, oldest first.
type box struct {
	id      string
	parcels []*Parcel
	taken   bool // a sender has it, or it is in the queue for one
	slow    bool // its agent did not acknowledge the last message at once
}

// Options are what an Outbox needs from its owner.
type Options struct {
	Context context.Context // all deliveries end with it
	Send    func(ctx context.Context, id string, m protocol.Message) (protocol.Message, error)
	Replied func(id string, reply protocol.Message) // is called with every reply; nil after an error
	Moved   func()                                  // is called when a message is done with, or out of date
	Sleep   func(ctx context.Context, what string, d time.Duration) error
	Go      func(f func()) // runs f, which the owner waits for
	Call    func(f func()) // the same for a short f that calls agents
}

// An Outbox queues messages by agent. Messages to one agent are sent in order. A slow agent does not delay others; see
// senders. It is safe for concurrent use.
type Outbox struct {
	Options

	mu    sync.Mutex
	boxes map[string]*box // by agent; boxes are never removed
	senders
}

// New returns an empty outbox.
func New(o Options) *Outbox { return &Outbox{Options: o, boxes: map[string]*box{}} }

// maxParcels is the maximum number of queued messages for one agent. Above it the oldest is dropped.
const maxParcels = 16

// Post queues a message for agents and returns without waiting for its delivery.
func (o *Outbox) Post(p *Parcel, to ...string) {
	for _, id := range to {
		o.mu.Lock()
		b := o.put(id, p)
		if !b.taken {
			b.taken = true
			o.enqueue(b)
		}
		o.mu.Unlock()
	}
}

// put queues a message for an agent and returns the agent's box. The caller holds the lock.
func (o *Outbox) put(id string, p *Parcel) *box {
	b := o.boxes[id]
	if b == nil {
		b = &box{id: id}
		o.boxes[id] = b
	}
	if len(b.parcels) == maxParcels {
		b.parcels[0].Tried(id, false)
		b.parcels = slices.Delete(b.parcels, 0, 1)
	}
	b.parcels = append(b.parcels, p)
	return b
}

// Waiting returns the number of messages in an agent's box.
func (o *Outbox) Waiting(id string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if b := o.boxes[id]; b != nil {
		return len(b.parcels)
	}
	return 0
}

// Busy reports whether any message is queued or being sent.
func (o *Outbox) Busy() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, b := range o.boxes {
		if b.taken {
			return true
		}
	}
	return false
}

// next removes and returns the oldest message of a box, for a sender that sends it now. It returns nil for an empty
// box, which no longer belongs to the sender then.
func (o *Outbox) next(c *sender, b *box) *Parcel {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(b.parcels) == 0 {
		b.taken = false
		return nil
	}
	p := b.parcels[0]
	b.parcels = slices.Delete(b.parcels, 0, 1)
	c.began = time.Now()
	return p
}

// deliver empties an agent's box.
func (o *Outbox) deliver(c *sender, b *box) {
	for p := o.next(c, b); p != nil; p = o.next(c, b) {
		o.hand(c, b, p)
	}
}

// hand sends one message, with up to three retries until it is acknowledged. It does not retry once a newer message is
// queued.
func (o *Outbox) hand(c *sender, b *box, p *Parcel) {
	for k := range 4 {
		reply, err := o.Send(o.Context, b.id, p.Message(b.id))
		o.Replied(b.id, reply)
		heard := err == nil || isNoSuchMethod(err)
		if o.moveOn(b, heard, func() {
			b.slow = !heard || time.Since(c.began) >= slowSendDelay
			if k == 0 {
				p.Tried(b.id, heard || errors.As(err, new(*protocol.Refusal)))
			}
		}) {
			return
		}
		o.stepAside(c)
		rest := o.Sleep(o.Context, fmt.Sprintf("%s to %s", p.Label, b.id), 2*time.Second)
		if rest != nil {
			return
		}
		if newer := o.moveOn(b, false, func() {}); newer && !errors.Is(err, rpc.ErrNewsWithheld) {
			return
		}
	}
}

// isNoSuchMethod reports whether an agent answered that it has no such method. Such an answer counts as delivered: many
// agents ignore news.
func isNoSuchMethod(err error) bool {
	var r *protocol.Refusal
	return errors.As(err, &r) && (r.Code == protocol.MethodNotFound || r.HTTPStatus == http.StatusNotFound)
}

// moveOn reports whether the last message to an agent need not be retried: it was acknowledged, or a newer one is
// queued. After a failure it drops superseded messages from the agent's box b, since each would cost a timeout. It
// calls note under the lock.
func (o *Outbox) moveOn(b *box, acknowledged bool, note func()) bool {
	defer o.Moved()
	o.mu.Lock()
	defer o.mu.Unlock()
	note()
	if acknowledged {
		return true
	}
	var stale []*Parcel
	b.parcels, stale = splitSuperseded(b.parcels)
	for _, p := range stale {
		p.Tried(b.id, false)
	}
	return len(b.parcels) > 0
}

// splitSuperseded splits queued messages into those to keep and those that a later one supersedes.
func splitSuperseded(box []*Parcel) (keep, drop []*Parcel) {
	for i, p := range box {
		overtaken := p.Kind != "" && slices.ContainsFunc(box[i+1:],
			func(later *Parcel) bool { return later.Kind == p.Kind || later.Kind == "league" })
		if overtaken {
			drop = append(drop, p)
		} else {
			keep = append(keep, p)
		}
	}
	return keep, drop
}
