package manager

import (
	"context"

	"agentleague/league"
	"agentleague/league/naming"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A router dispatches the messages that arrive at a manager. One process may run several leagues; a message may arrive
// at any of them, and is passed, decoded, to the league with that id.
type router struct {
	*core
	*ledger
	handlers map[protocol.Type]rpc.Handler
}

// take registers h as the handler of messages of type t.
func (rt *router) take(t protocol.Type, h rpc.Handler) { rt.Node.Handle(t, rt.route(t, h)) }

// takeOpen registers h for the messages of type t, without authentication.
func (rt *router) takeOpen(t protocol.Type, h rpc.Handler) { rt.Node.HandleOpen(t, rt.route(t, h)) }

// route returns a handler that calls h for messages to this league, and passes messages to other leagues on.
func (rt *router) route(t protocol.Type, h rpc.Handler) rpc.Handler {
	rt.handlers[t] = h
	if rt.opts.Elsewhere == nil {
		return h
	}
	return func(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
		id := msg.Head().LeagueID
		if id == "" || id == rt.opts.LeagueID {
			return h(ctx, from, msg)
		}
		other := rt.opts.Elsewhere(id)
		if other == nil || !other.wants(msg) {
			return h(ctx, from, msg)
		}
		reply, err := other.serve(ctx, t, from, msg)
		if !isUnknownSender(err) {
			return reply, err
		}
		// A third-party agent of this league may be configured with the id of another league.
		reply, failed := h(ctx, from, msg)
		if !isUnknownSender(failed) && !protocol.Is(failed, protocol.UnknownLeague) {
			return reply, failed
		}
		return nil, err
	}
}

// serve answers a message of type t that arrived at another league of the same process.
func (rt *router) serve(
	ctx context.Context, t protocol.Type, from rpc.From, msg protocol.Message,
) (protocol.Message, error) {
	return rt.handlers[t](ctx, from, msg)
}

// wants reports whether this league should answer a message that has its id but arrived at another league. A
// third-party agent may be configured with an outdated id, so its registration is wanted only if it can join here or is
// registered here.
func (rt *router) wants(msg protocol.Message) (yes bool) {
	switch r := msg.(type) {
	case *protocol.LeagueRegisterRequest:
		rt.Read(func(s *league.State) {
			yes = r.Meta.Native || !s.Started() || s.Named(protocol.RolePlayer,
				naming.Clean(r.Meta.DisplayName)) != nil || !s.Completed() && rt.opts.scheduling().MayJoin(s) == nil
		})
	case *protocol.RefereeRegisterRequest:
		rt.Read(func(s *league.State) {
			yes = r.Meta.Native || !s.Completed() || s.Named(protocol.RoleReferee,
				naming.Clean(r.Meta.DisplayName)) != nil
		})
	default:
		return true
	}
	return yes
}

// isUnknownSender reports whether a league refused a message because its sender is unknown.
func isUnknownSender(err error) bool {
	for _, kind := range []*protocol.Kind{protocol.AuthTokenMissing, protocol.AuthTokenInvalid,
		protocol.RefereeNotRegistered, protocol.PlayerNotRegistered} {
		if protocol.Is(err, kind) {
			return true
		}
	}
	return false
}

// Abroad returns a stand-in for a league of the same cluster that another process runs at endpoint. A message for it is
// refused with an error that names this endpoint.
func Abroad(id, endpoint string) OtherLeague { return remoteLeague{id, endpoint} }

// A remoteLeague stands for a league that another process runs.
type remoteLeague struct{ id, endpoint string }

// Endpoint returns the endpoint of the league in the other process.
func (a remoteLeague) Endpoint() string { return a.endpoint }

// wants returns true: every message that names the league is for it.
func (a remoteLeague) wants(protocol.Message) bool { return true }

// serve returns an error with the endpoint of the league; requests to that endpoint are forwarded to the process that
// runs it.
func (a remoteLeague) serve(context.Context, protocol.Type, rpc.From, protocol.Message) (protocol.Message, error) {
	return nil, protocol.Errorf(protocol.UnknownLeague, "the league %s is run by another manager of the cluster: send this to %s",
		a.id, a.endpoint).Suggest("Send it to " + a.endpoint)
}

// acknowledge returns the state of a league that was just created.
func (a remoteLeague) acknowledge() (*protocol.LeagueControlAck, error) {
	return &protocol.LeagueControlAck{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueControlAck, LeagueID: a.id},
		Status:   protocol.Accepted, State: protocol.WaitingForRegistrations,
	}, nil
}
