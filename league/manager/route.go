package manager

import (
	"context"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A router dispatches the messages that arrive at a manager. One process may run several leagues. Each accepts any
// request, and hands a message that names another league to that one. The message is decoded only once.
type router struct {
	*core
	*ledger
	handlers map[protocol.Type]rpc.Handler
}

// take makes h answer the messages of type t.
func (rt *router) take(t protocol.Type, h rpc.Handler) { rt.Node.Handle(t, rt.route(t, h)) }

// takeOpen registers h for the messages of type t, without authentication.
func (rt *router) takeOpen(t protocol.Type, h rpc.Handler) { rt.Node.HandleOpen(t, rt.route(t, h)) }

// route returns h restricted to messages of type t for this league; others go to theirs.
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
		if !unknown(err) {
			return reply, err
		}
		// A foreign agent of this league may have the name of another in its configuration.
		if reply, failed := h(ctx, from, msg); !unknown(failed) && !protocol.Is(failed, protocol.UnknownLeague) {
			return reply, failed
		}
		return nil, err
	}
}

// serve answers a message of type t that came to another league of the same process.
func (rt *router) serve(
	ctx context.Context, t protocol.Type, from rpc.From, msg protocol.Message,
) (protocol.Message, error) {
	return rt.handlers[t](ctx, from, msg)
}

// wants reports whether a message that names this league, and arrived at another, is for this one. A foreign
// applicant may have the name from its configuration: it is sent where it can join, or was before.
func (rt *router) wants(msg protocol.Message) (yes bool) {
	switch r := msg.(type) {
	case *protocol.LeagueRegisterRequest:
		rt.Read(func(s *league.State) {
			yes = r.Meta.Native || !s.Started() || s.Named(protocol.RolePlayer,
				league.CleanName(r.Meta.DisplayName)) != nil
		})
	case *protocol.RefereeRegisterRequest:
		rt.Read(func(s *league.State) {
			yes = r.Meta.Native || !s.Completed() || s.Named(protocol.RoleReferee,
				league.CleanName(r.Meta.DisplayName)) != nil
		})
	default:
		return true
	}
	return yes
}

// unknown reports whether a league refused a message because its sender is unknown.
func unknown(err error) bool {
	for _, kind := range []*protocol.Kind{protocol.AuthTokenMissing, protocol.AuthTokenInvalid,
		protocol.RefereeNotRegistered, protocol.PlayerNotRegistered} {
		if protocol.Is(err, kind) {
			return true
		}
	}
	return false
}

// Abroad returns a league of the same cluster that another process runs. Messages for it are forwarded to its
// endpoint.
func Abroad(id, endpoint string) OtherLeague { return leagueAbroad{id, endpoint} }

// A leagueAbroad is a league that another process runs, and where that is.
type leagueAbroad struct{ id, endpoint string }

// Endpoint is where agents reach the league.
func (a leagueAbroad) Endpoint() string { return a.endpoint }

// wants reports that a message which names the league is for it.
func (a leagueAbroad) wants(protocol.Message) bool { return true }

// serve returns an error with the endpoint of the league; requests to that endpoint are forwarded to the process that
// runs it.
func (a leagueAbroad) serve(context.Context, protocol.Type, rpc.From, protocol.Message) (protocol.Message, error) {
	return nil, protocol.Errorf(protocol.UnknownLeague, "the league %s is run by another manager of the cluster: send this to %s",
		a.id, a.endpoint).Suggest("Send it to " + a.endpoint)
}

// acknowledge returns the state of a league that was just created.
func (a leagueAbroad) acknowledge() (*protocol.LeagueControlAck, error) {
	return &protocol.LeagueControlAck{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueControlAck, LeagueID: a.id},
		Status:   protocol.Accepted, State: protocol.WaitingForRegistrations,
	}, nil
}
