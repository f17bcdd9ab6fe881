package league

import (
	"fmt"
	"time"

	"agentleague/protocol"
)

// A parcel is a message on its way to one agent.
type parcel struct {
	label   string
	message func() protocol.Message
	first   func(acknowledged bool) // called after the first try
}

// maxParcels is how many messages may wait for one agent. Beyond it the oldest
// is dropped: a newer one of its kind waits behind it.
const maxParcels = 8

// post puts a message into an agent's outbox. Messages to one agent go out one
// after the other; nobody waits for another's.
func (m *Manager) post(id string, p parcel) {
	var dropped *parcel
	var busy bool
	m.locked(func(v *volatile) {
		busy, v.delivering[id] = v.delivering[id], true
		v.outbox[id] = append(v.outbox[id], p)
		if len(v.outbox[id]) > maxParcels {
			dropped = &v.outbox[id][0]
			v.outbox[id] = v.outbox[id][1:]
		}
	})
	if dropped != nil {
		dropped.first(false)
	}
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
		_, err := m.Node.Call(m.ctx, m.peer(id), p.message())
		if k == 0 {
			p.first(err == nil)
		}
		var newer bool
		m.locked(func(v *volatile) { newer = len(v.outbox[id]) > 0 })
		if err == nil || newer || m.ctx.Err() != nil {
			return
		}
		if m.Node.Sleep(m.ctx, fmt.Sprintf("%s to %s", p.label, id), 2*time.Second) != nil {
			return
		}
	}
}
