package manager

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// A parcel is a message on its way to one agent.
type parcel struct {
	label   string
	kind    string // of news: one that was missed is made up for by the next of its kind; "" for what is told once
	message func() protocol.Message
	tried   func(v *volatile, acknowledged bool) // called once, after the first try or when there will be none
}

// maxParcels is how many messages may wait for one agent. Beyond it the oldest is dropped.
const maxParcels = 16

// post puts a message into an agent's outbox. Messages to one agent go out one
// after the other; nobody waits for another's.
func (m *Manager) post(id string, p parcel) {
	var busy bool
	m.locked(func(v *volatile) {
		busy, v.delivering[id] = v.delivering[id], true
		v.outbox[id] = append(v.outbox[id], p)
		if len(v.outbox[id]) > maxParcels {
			v.outbox[id][0].tried(v, false)
			v.outbox[id] = v.outbox[id][1:]
		}
	})
	if !busy {
		m.running.Go(func() { m.deliver(id) })
	}
}

// deliver empties an agent's outbox.
func (m *Manager) deliver(id string) {
	for {
		var p *parcel
		m.locked(func(v *volatile) {
			if box := v.outbox[id]; len(box) > 0 {
				p = &box[0]
				v.outbox[id] = box[1:]
			} else {
				delete(v.outbox, id)
				delete(v.delivering, id)
			}
		})
		if p == nil {
			return
		}
		m.hand(id, *p)
	}
}

// hand sends one message until it is acknowledged. It is tried again only
// while nothing newer waits: what comes next tells more than what was missed.
func (m *Manager) hand(id string, p parcel) {
	for k := range 4 {
		reply, err := m.call(m.ctx, id, p.message())
		m.learned(id)
		m.lastWord(id, reply)
		heard := err == nil || unwanted(err)
		first := func(v *volatile) {
			if k == 0 {
				p.tried(v, heard)
			}
		}
		if m.moveOn(id, heard, first) {
			return
		}
		rest := m.Node.Sleep(m.ctx, fmt.Sprintf("%s to %s", p.label, id), 2*time.Second)
		if rest != nil || m.moveOn(id, false, func(*volatile) {}) {
			return
		}
	}
}

// lastWord hands on what a player signs when it hears that the league is over.
// What it has not signed, or not of this league's end, is worth nothing.
func (m *Manager) lastWord(id string, reply protocol.Message) {
	ack, ok := reply.(*protocol.Ack)
	if !ok || ack.Signature == "" || m.opts.LastWord == nil {
		return
	}
	var err error
	m.Read(func(s *league.State) { err = s.CheckLastWord(id, ack.LogHead, ack.Signature) })
	if err != nil {
		m.warn("a player's last word is not kept: "+err.Error(), slog.String("player_id", id))
		return
	}
	m.opts.LastWord(id, ack.LogHead, ack.Signature)
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
func (m *Manager) moveOn(id string, acknowledged bool, note func(v *volatile)) (yes bool) {
	m.locked(func(v *volatile) {
		note(v)
		if yes = acknowledged; yes {
			return
		}
		var stale []parcel
		v.outbox[id], stale = current(v.outbox[id])
		for _, p := range stale {
			p.tried(v, false)
		}
		yes = len(v.outbox[id]) > 0
	})
	m.kick()
	return yes
}

// current parts messages into those that still say something and those that a later one makes up for.
func current(box []parcel) (keep, drop []parcel) {
	for i, p := range box {
		overtaken := p.kind != "" && slices.ContainsFunc(box[i+1:], func(later parcel) bool { return later.kind == p.kind || later.kind == "league" })
		if overtaken {
			drop = append(drop, p)
		} else {
			keep = append(keep, p)
		}
	}
	return keep, drop
}
