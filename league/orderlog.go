package league

import (
	"time"

	"agentleague/protocol"
)

// An Order is something that the admin had done.
type Order struct {
	At   time.Time
	What string // created, enlisted, start, pause, resume, drain, withdraw, invite, readmit or annul
	ID   string // of the agent or match that it is about, if it is about one
	By   string // who asked; "": the log does not tell
}

// note remembers an order.
func (s *State) note(at time.Time, e Event) {
	o := Order{At: at}
	switch e := e.(type) {
	case Created:
		o.What, o.By = "created", e.By
	case Registered:
		o.What, o.ID, o.By = "enlisted", e.ID, e.By
	case StartOrdered:
		o.What, o.By = "start", e.By
	case Paused:
		o.What, o.By = "pause", e.By
	case Resumed:
		o.What, o.By = "resume", e.By
	case Drained:
		o.What, o.By = "drain", e.By
	case Withdrawn:
		o.What, o.ID, o.By = "withdraw", e.ID, e.By
	case Invited:
		o.What, o.ID, o.By = "invite", e.Name, e.By
	case Readmitted:
		o.What, o.ID, o.By = "readmit", e.ID, e.By
	case Annulled:
		o.What, o.ID, o.By = "annul", e.Match, e.By
	}
	if o.What == "" || o.By == "" && (o.What == "created" || o.What == "enlisted") {
		return // it was nobody's order
	}
	s.Orders = append(s.Orders, o)
}

// ordersGiven lists the orders as the admin is told of them, the newest of a long list.
func ordersGiven(s *State) []protocol.OrderInfo {
	out := []protocol.OrderInfo{}
	for _, o := range s.Orders[max(0, len(s.Orders)-maxListed):] {
		out = append(out, protocol.OrderInfo{Order: o.What, AgentID: o.ID, By: o.By, At: protocol.Stamp(o.At)})
	}
	return out
}
