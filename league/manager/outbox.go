package manager

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A parcel is a message to one or more agents. It is immutable and shared by the queues of all its receivers.
type parcel struct {
	label   string
	kind    string // of news: a missed message is superseded by the next of its kind; "" if it is not
	message func(id string) protocol.Message
	// tried is called once for each receiver: after the first try to deliver the message, or when the message is
	// dropped without a try. It must not call post.
	tried func(id string, acknowledged bool)
}

// A box is the queue of messages for one agent, oldest first.
type box struct {
	id      string
	parcels []*parcel
	taken   bool // a sender has it, or it is in the queue for one
	slow    bool // its agent did not acknowledge the last message at once
}

// An outbox queues messages by agent. Messages to one agent are sent in order. A slow agent does not delay others; see
// senders.
type outbox struct {
	*core
	*ledger
	*jobs
	calls *caller
	send  func(ctx context.Context, id string, msg protocol.Message) (protocol.Message, error)

	mu    sync.Mutex
	boxes map[string]*box // by agent; boxes are never removed
	senders
}

func newOutbox(c *core, l *ledger, j *jobs, calls *caller) *outbox {
	return &outbox{core: c, ledger: l, jobs: j, calls: calls, send: calls.callAndLearn, boxes: map[string]*box{}}
}

// maxParcels is the maximum number of queued messages for one agent. Above it the oldest is dropped.
const maxParcels = 16

// post queues a message for agents and returns without waiting for its delivery.
func (o *outbox) post(p *parcel, to ...string) {
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
func (o *outbox) put(id string, p *parcel) *box {
	b := o.boxes[id]
	if b == nil {
		b = &box{id: id}
		o.boxes[id] = b
	}
	if len(b.parcels) == maxParcels {
		b.parcels[0].tried(id, false)
		b.parcels = slices.Delete(b.parcels, 0, 1)
	}
	b.parcels = append(b.parcels, p)
	return b
}

// waiting returns the number of messages in an agent's box.
func (o *outbox) waiting(id string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if b := o.boxes[id]; b != nil {
		return len(b.parcels)
	}
	return 0
}

// busy reports whether any message is queued or being sent.
func (o *outbox) busy() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, b := range o.boxes {
		if b.taken {
			return true
		}
	}
	return false
}

// next removes and returns the oldest message of box b for sender c. If the box is empty it returns nil, and c no
// longer owns the box.
func (o *outbox) next(c *sender, b *box) *parcel {
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

// deliver sends the messages in box b, one after the other, until the box is empty.
func (o *outbox) deliver(c *sender, b *box) {
	for p := o.next(c, b); p != nil; p = o.next(c, b) {
		o.hand(c, b, p)
	}
}

// hand sends one message, with up to three retries until it is acknowledged. It does not retry once a newer message is
// queued.
func (o *outbox) hand(c *sender, b *box, p *parcel) {
	for k := range 4 {
		reply, err := o.send(o.ctx, b.id, p.message(b.id))
		o.finalSignature(b.id, reply)
		heard := err == nil || isNoSuchMethod(err)
		if o.moveOn(b, heard, func() {
			b.slow = !heard || time.Since(c.began) >= slowSendDelay
			if k == 0 {
				p.tried(b.id, heard)
			}
		}) {
			return
		}
		o.stepAside(c)
		rest := o.Node.Sleep(o.ctx, fmt.Sprintf("%s to %s", p.label, b.id), 2*time.Second)
		if rest != nil {
			return
		}
		if newer := o.moveOn(b, false, func() {}); newer && !errors.Is(err, rpc.ErrNewsWithheld) {
			return
		}
	}
}

// finalSignature passes a player's signature of the end of the league to Options.FinalSignature, if it is valid.
func (o *outbox) finalSignature(id string, reply protocol.Message) {
	ack, ok := reply.(*protocol.Ack)
	if !ok || ack.Signature == "" || o.opts.FinalSignature == nil {
		return
	}
	var err error
	o.Read(func(s *league.State) { err = s.CheckFinalSignature(id, ack.LogHead, ack.Signature) })
	if err != nil {
		o.warn("a player's final signature is not saved: "+err.Error(), slog.String("player_id", id))
		return
	}
	o.opts.FinalSignature(id, ack.LogHead, ack.Signature)
}

// isNoSuchMethod reports whether an agent answered that it has no such method. Such an answer counts as an
// acknowledgement, because many agents do not implement the broadcast messages.
func isNoSuchMethod(err error) bool {
	var r *protocol.Refusal
	return errors.As(err, &r) && (r.Code == protocol.MethodNotFound || r.HTTPStatus == http.StatusNotFound)
}

// moveOn reports whether the last message to an agent need not be retried: it was acknowledged, or a newer one is
// queued. After a failure it drops superseded messages from the agent's box b, since each would cost a timeout. It
// calls note under the lock.
func (o *outbox) moveOn(b *box, acknowledged bool, note func()) bool {
	defer o.nudge()
	o.mu.Lock()
	defer o.mu.Unlock()
	note()
	if acknowledged {
		return true
	}
	var stale []*parcel
	b.parcels, stale = splitSuperseded(b.parcels)
	for _, p := range stale {
		p.tried(b.id, false)
	}
	return len(b.parcels) > 0
}

// splitSuperseded splits queued messages into those to keep and those that a later one supersedes.
func splitSuperseded(box []*parcel) (keep, drop []*parcel) {
	for i, p := range box {
		overtaken := p.kind != "" && slices.ContainsFunc(box[i+1:],
			func(later *parcel) bool { return later.kind == p.kind || later.kind == "league" })
		if overtaken {
			drop = append(drop, p)
		} else {
			keep = append(keep, p)
		}
	}
	return keep, drop
}
