package manager

import (
	"context"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// Several leagues may be run by one process. Any of them takes any request, and
// hands what names another to that one. The message has been read once then,
// whoever answers it.

// route is h for messages of type t that are for this league.
func (m *Manager) route(t protocol.Type, h rpc.Handler) rpc.Handler {
	m.handlers[t] = h
	if m.opts.Elsewhere == nil {
		return h
	}
	return func(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
		id := msg.Head().LeagueID
		if id == "" || id == m.opts.LeagueID {
			return h(ctx, from, msg)
		}
		other := m.opts.Elsewhere(id)
		if other == nil || !other.wants(msg) {
			return h(ctx, from, msg)
		}
		reply, err := other.handlers[t](ctx, from, msg)
		if !unknown(err) {
			return reply, err
		}
		// A stranger of this league may have the name of another written in it.
		if reply, failed := h(ctx, from, msg); !unknown(failed) && !protocol.Is(failed, protocol.UnknownLeague) {
			return reply, failed
		}
		return nil, err
	}
}

// wants reports whether a message that names this league, and came to another, is for this one. A stranger that applies may
// have the name from its configuration: it is sent where it can join, or was before.
func (m *Manager) wants(msg protocol.Message) (yes bool) {
	switch r := msg.(type) {
	case *protocol.LeagueRegisterRequest:
		m.Read(func(s *league.State) {
			yes = r.Meta.MatchTokens || !s.Started() || s.Named(protocol.RolePlayer, league.CleanName(r.Meta.DisplayName)) != nil
		})
	case *protocol.RefereeRegisterRequest:
		m.Read(func(s *league.State) {
			yes = r.Meta.MatchTokens || !s.Completed() || s.Named(protocol.RoleReferee, league.CleanName(r.Meta.DisplayName)) != nil
		})
	default:
		return true
	}
	return yes
}

// unknown reports whether a league refused a message because it does not know its sender.
func unknown(err error) bool {
	for _, kind := range []*protocol.Kind{protocol.AuthTokenMissing, protocol.AuthTokenInvalid, protocol.RefereeNotRegistered, protocol.PlayerNotRegistered} {
		if protocol.Is(err, kind) {
			return true
		}
	}
	return false
}
