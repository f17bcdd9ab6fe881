package manager

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// A parcel is a message on its way to one agent.
type parcel struct {
	label   string
	kind    string // of news: one that was missed is made up for by the next of its kind; "" for what is told once
	message func() protocol.Message
	tried   func(acknowledged bool) // called once, after the first try or when there will be none; it must not post
}

// An outbox has the messages that wait to be sent, by agent. Messages to one agent go out one after the other; nobody
// waits for another's.
type outbox struct {
	*core
	*ledger
	*jobs
	calls *caller

	mu         sync.Mutex
	boxes      map[string][]parcel // by agent
	delivering map[string]bool     // agents whose messages are being sent
}

func newOutbox(c *core, l *ledger, j *jobs, calls *caller) *outbox {
	return &outbox{core: c, ledger: l, jobs: j, calls: calls, boxes: map[string][]parcel{},
		delivering: map[string]bool{}}
}

// maxParcels is how many messages may wait for one agent. Beyond it the oldest is dropped.
const maxParcels = 16

// post puts a message into an agent's box, and returns without waiting for it.
func (o *outbox) post(id string, p parcel) {
	if first := o.put(id, p); first {
		o.running.Go(func() { o.deliver(id) })
	}
}

// put puts a message into an agent's box, and reports whether nobody sends what is there.
func (o *outbox) put(id string, p parcel) (first bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	first, o.delivering[id] = !o.delivering[id], true
	o.boxes[id] = append(o.boxes[id], p)
	if len(o.boxes[id]) > maxParcels {
		o.boxes[id][0].tried(false)
		o.boxes[id] = o.boxes[id][1:]
	}
	return first
}

// next takes the oldest message out of an agent's box; if there is none, nobody sends what is there any more.
func (o *outbox) next(id string) (p parcel, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	box := o.boxes[id]
	if len(box) == 0 {
		delete(o.boxes, id)
		delete(o.delivering, id)
		return parcel{}, false
	}
	o.boxes[id] = box[1:]
	return box[0], true
}

// waiting is how many messages an agent has yet to be sent.
func (o *outbox) waiting(id string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.boxes[id])
}

// deliver empties an agent's box.
func (o *outbox) deliver(id string) {
	for p, ok := o.next(id); ok; p, ok = o.next(id) {
		o.hand(id, p)
	}
}

// hand sends one message until it is acknowledged. It is tried again only
// while nothing newer waits: what comes next tells more than what was missed.
func (o *outbox) hand(id string, p parcel) {
	for k := range 4 {
		reply, err := o.calls.call(o.ctx, id, p.message())
		o.calls.learned(id)
		o.lastWord(id, reply)
		heard := err == nil || unwanted(err)
		first := func() {
			if k == 0 {
				p.tried(heard)
			}
		}
		if o.moveOn(id, heard, first) {
			return
		}
		rest := o.Node.Sleep(o.ctx, fmt.Sprintf("%s to %s", p.label, id), 2*time.Second)
		if rest != nil || o.moveOn(id, false, func() {}) {
			return
		}
	}
}

// lastWord hands on what a player signs when it hears that the league is over.
// What it has not signed, or not of this league's end, is worth nothing.
func (o *outbox) lastWord(id string, reply protocol.Message) {
	ack, ok := reply.(*protocol.Ack)
	if !ok || ack.Signature == "" || o.opts.LastWord == nil {
		return
	}
	var err error
	o.Read(func(s *league.State) { err = s.CheckLastWord(id, ack.LogHead, ack.Signature) })
	if err != nil {
		o.warn("a player's last word is not saved: "+err.Error(), slog.String("player_id", id))
		return
	}
	o.opts.LastWord(id, ack.LogHead, ack.Signature)
}

// unwanted reports whether an agent answered that it has no such method. It was
// reached, and is not told again: many agents take no news.
func unwanted(err error) bool {
	var r *protocol.Refusal
	return errors.As(err, &r) && (r.Code == protocol.MethodNotFound || r.HTTPStatus == http.StatusNotFound)
}

// moveOn reports whether a message to an agent need not be tried again: it was
// acknowledged, or something newer waits. To an agent that does not acknowledge,
// news that are out of date by then are not sent, so that one who never answers
// is not waited for once for each of them.
func (o *outbox) moveOn(id string, acknowledged bool, note func()) bool {
	defer o.kick()
	o.mu.Lock()
	defer o.mu.Unlock()
	note()
	if acknowledged {
		return true
	}
	var stale []parcel
	o.boxes[id], stale = current(o.boxes[id])
	for _, p := range stale {
		p.tried(false)
	}
	return len(o.boxes[id]) > 0
}

// current parts messages into those that still say something and those that a later one makes up for.
func current(box []parcel) (keep, drop []parcel) {
	for i, p := range box {
		overtaken := p.kind != "" && slices.ContainsFunc(box[i+1:],
			func(later parcel) bool { return later.kind == p.kind || later.kind == "league" })
		if overtaken {
			drop = append(drop, p)
		} else {
			keep = append(keep, p)
		}
	}
	return keep, drop
}
