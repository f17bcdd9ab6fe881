package league

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// What the admin orders stands in the log with who asked and when, whether the
// order came over the wire, from a page or from the program itself.

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
func (s *State) ordersGiven() []protocol.OrderInfo {
	out := []protocol.OrderInfo{}
	for _, o := range s.Orders[max(0, len(s.Orders)-maxListed):] {
		out = append(out, protocol.OrderInfo{Order: o.What, AgentID: o.ID, By: o.By, At: protocol.Stamp(o.At)})
	}
	return out
}

// orderedBy tells who gives an order over the wire: what the sender says of
// itself behind its role, such as admin:cli, and the address that it calls from.
func orderedBy(from rpc.From, h *protocol.Envelope) string {
	role, via := protocol.ParseSender(h.Sender)
	if role != protocol.RoleAdmin || via == "" {
		via = "league.v2"
	}
	return strings.TrimSpace("admin via " + via + " " + from.Addr)
}

// signed is a name as the log keeps it.
func signed(by string) string { return clip(protocol.Plain(by)) }

// Start starts the league with the agents that have registered. A league that
// has started, or is about to, is left as it is.
func (m *Manager) Start(ctx context.Context, by string) error {
	m.info("start ordered", slog.String("by", signed(by)))
	return m.do(ctx, func(s *State) ([]Event, error) {
		if s.Started() || s.Ordered {
			return nil, nil
		}
		if missing := m.missing(s); missing != "" {
			return nil, protocol.Errorf(protocol.LeagueNotStarted, "the league cannot start yet: %s", missing)
		}
		return []Event{StartOrdered{signed(by)}}, nil
	})
}

// Pause lets no further match start, whoever opens the league meanwhile. What
// is in play is finished.
func (m *Manager) Pause(ctx context.Context, by string) error {
	m.info("pause ordered", slog.String("by", signed(by)))
	return m.do(ctx, func(s *State) ([]Event, error) {
		if s.Completed() {
			return nil, errOver()
		}
		if s.Paused {
			return nil, nil
		}
		return []Event{Paused{signed(by)}}, nil
	})
}

// Resume lets the league go on after a pause or a drain.
func (m *Manager) Resume(ctx context.Context, by string) error {
	m.info("resume ordered", slog.String("by", signed(by)))
	err := m.do(ctx, func(s *State) ([]Event, error) {
		if !s.Paused && m.drainedBy() == "" {
			return nil, nil
		}
		return []Event{Resumed{signed(by)}}, nil
	})
	if err == nil && m.drainedBy() != "" {
		m.Release()
	}
	return err
}

// Withdraw takes a player out of the league. What it has played stands.
func (m *Manager) Withdraw(ctx context.Context, id, by string) error {
	m.info("withdrawal ordered", slog.String("player_id", clip(id)), slog.String("by", signed(by)))
	return m.do(ctx, func(s *State) ([]Event, error) {
		a := s.Agents[id]
		if a == nil || a.Role != protocol.RolePlayer {
			return nil, protocol.Errorf(protocol.PlayerNotRegistered, "no player %q has registered", id).With("player_id", id)
		}
		if s.Completed() {
			return nil, errOver()
		}
		if a.State == protocol.AgentShutdown {
			return nil, nil
		}
		return []Event{Withdrawn{id, signed(by)}}, nil
	})
}

func errOver() error { return protocol.Errorf(protocol.LeagueAlreadyComplete, "the league is over") }
