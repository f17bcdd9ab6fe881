package manager

import (
	"context"
	"log/slog"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// What the admin orders stands in the log with who asked and when, whether the
// order came over the wire, from a page or from the program itself.

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
func signed(by string) string { return league.Clip(protocol.Plain(by)) }

// Start starts the league with the agents that have registered. A league that
// has started, or is about to, is left as it is.
func (m *Manager) Start(ctx context.Context, by string) error {
	m.info("start ordered", slog.String("by", signed(by)))
	return m.do(ctx, func(s *league.State) ([]league.Event, error) {
		if s.Started() || s.Ordered {
			return nil, nil
		}
		if missing := m.missing(s); missing != "" {
			return nil, protocol.Errorf(protocol.LeagueNotStarted, "the league cannot start yet: %s", missing)
		}
		return []league.Event{league.StartOrdered{By: signed(by)}}, nil
	})
}

// Pause lets no further match start, whoever opens the league meanwhile. What
// is in play is finished.
func (m *Manager) Pause(ctx context.Context, by string) error {
	m.info("pause ordered", slog.String("by", signed(by)))
	return m.do(ctx, func(s *league.State) ([]league.Event, error) {
		if s.Completed() {
			return nil, errOver()
		}
		if s.Paused {
			return nil, nil
		}
		return []league.Event{league.Paused{By: signed(by)}}, nil
	})
}

// Resume lets the league go on after a pause or a drain.
func (m *Manager) Resume(ctx context.Context, by string) error {
	m.info("resume ordered", slog.String("by", signed(by)))
	err := m.do(ctx, func(s *league.State) ([]league.Event, error) {
		if !s.Paused && m.drainedBy() == "" {
			return nil, nil
		}
		return []league.Event{league.Resumed{By: signed(by)}}, nil
	})
	if err == nil && m.drainedBy() != "" {
		m.Release()
	}
	return err
}

// Withdraw takes a player out of the league. What it has played stands.
func (m *Manager) Withdraw(ctx context.Context, id, by string) error {
	m.info("withdrawal ordered", slog.String("player_id", league.Clip(id)), slog.String("by", signed(by)))
	return m.do(ctx, func(s *league.State) ([]league.Event, error) {
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
		return []league.Event{league.Withdrawn{ID: id, By: signed(by)}}, nil
	})
}

func errOver() error { return protocol.Errorf(protocol.LeagueAlreadyComplete, "the league is over") }
