package manager

import (
	"context"
	"encoding/json"
	"strings"

	"agentleague/league"
	"agentleague/league/answers"
	"agentleague/league/registration"
	"agentleague/protocol"
	"agentleague/rpc"
)

// orderAck returns the answer to an executed order: the state of the league, or the error of the order.
func (org *Orders) orderAck(err error) (*protocol.LeagueControlAck, error) {
	if err != nil {
		return nil, err
	}
	ack := &protocol.LeagueControlAck{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueControlAck, LeagueID: org.opts.LeagueID},
		Status:   protocol.Accepted,
	}
	org.Read(func(s *league.State) {
		ack.State, ack.Paused = s.Phase(org.lobby.isStarting() || s.Ordered), s.Paused || org.drainState.orderedBy() != ""
		if !s.Started() {
			ack.Reason = org.lobby.startObstacle(s)
		}
	})
	return ack, nil
}

// acknowledge returns the state of a new league to its creator.
func (org *Orders) acknowledge() (*protocol.LeagueControlAck, error) { return org.orderAck(nil) }

// orderHandler returns a handler that authorizes an order, executes it by calling carry with its origin, and answers
// with the state of the league.
func (org *Orders) orderHandler(carry func(ctx context.Context, by string) error) rpc.Handler {
	return func(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
		return reply(org.orderAck(carry(ctx, orderedBy(from, msg.Head()))))
	}
}

// reply returns ack as a message, or a nil message with the error.
func reply(ack *protocol.LeagueControlAck, err error) (protocol.Message, error) {
	if err != nil {
		return nil, err
	}
	return ack, nil
}

func (org *Orders) withdraw(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	return reply(org.orderAck(org.Withdraw(ctx, msg.(*protocol.Tool).PlayerID, orderedBy(from, msg.Head()))))
}

func (org *Orders) rest(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	r := msg.(*protocol.RestPlayer)
	return reply(org.orderAck(org.Rest(ctx, r.PlayerID, r.Rounds, orderedBy(from, msg.Head()))))
}

// drain stops further matches from starting and returns without waiting for the matches in play.
func (org *Orders) drain(ctx context.Context, by string) error {
	org.BeginDrain(ctx, by)
	return nil
}

// enlist adds an agent that cannot register itself, by order of the admin. It returns the agent's id and the tools
// that the manager will call.
func (org *Orders) enlist(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	e := msg.(*protocol.EnlistAgent)
	enlisted, err := org.registrar.Enlist(ctx, registration.Recruit{
		Role: e.Role, Endpoint: e.Endpoint, Name: e.DisplayName, Tools: e.Tools, By: orderedBy(from, msg.Head()),
	})
	ack, err := org.orderAck(err)
	if err != nil {
		return nil, err
	}
	ack.AgentID, ack.Calls, ack.Endpoint = enlisted.ID, enlisted.Calls, enlisted.At
	return ack, nil
}

// create creates another league in the same process. Only this kind of message may have the id of a league that does
// not exist.
func (org *Orders) create(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	if err := org.auth.checkOrder(ctx, from, msg.Head()); err != nil {
		return nil, err
	}
	created, err := org.opts.Create(ctx, msg.(*protocol.CreateLeague), orderedBy(from, msg.Head()))
	if err != nil {
		return nil, err
	}
	ack, err := created.acknowledge()
	if err != nil {
		return nil, err
	}
	ack.Endpoint = created.Endpoint()
	return ack, nil
}

// seasons changes the total number of seasons of the league.
func (org *Orders) seasons(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	by := orderedBy(from, msg.Head())
	return reply(org.orderAck(org.opts.Seasons(ctx, msg.(*protocol.SetSeasons).Seasons, by)))
}

// createSchedule returns the schedule. Before the start it is computed from the agents registered so far.
func (org *Orders) createSchedule(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
	var rounds []protocol.ScheduledRound
	org.Read(func(s *league.State) { rounds = answers.Scheduled(s, protocol.QueryParams{}) })
	data, err := json.Marshal(map[string]any{"schedule": rounds})
	if err != nil {
		return nil, err
	}
	return answer(org.opts.LeagueID, protocol.QuerySchedule, data), nil
}

// invite creates join keys for names. The default role is player.
func (org *Orders) invite(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	r := msg.(*protocol.InviteAgents)
	if r.Role == "" {
		r.Role = protocol.RolePlayer
	}
	list, err := org.registrar.Invite(ctx, r.Role, r.Names, orderedBy(from, msg.Head()))
	if err != nil {
		return nil, err
	}
	return &protocol.Invitations{
		Envelope:    protocol.Envelope{MessageType: protocol.TypeInvitations, LeagueID: org.opts.LeagueID},
		Invitations: list,
	}, nil
}

// readmit admits an agent that was refused with a code, or readmits an excluded agent.
func (org *Orders) readmit(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	r := msg.(*protocol.ReadmitAgent)
	return reply(org.orderAck(org.registrar.Readmit(ctx, r.AgentID, r.Code, orderedBy(from, msg.Head()))))
}

// rename gives an agent another name.
func (org *Orders) rename(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	r := msg.(*protocol.RenameAgent)
	return reply(org.orderAck(org.registrar.Rename(ctx, r.AgentID, r.DisplayName, orderedBy(from, msg.Head()))))
}

// merge merges two agents into one.
func (org *Orders) merge(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	r := msg.(*protocol.MergeAgents)
	return reply(org.orderAck(org.registrar.Merge(ctx, r.KeptID, r.GoneID, orderedBy(from, msg.Head()))))
}

// annul takes a result back, with a reason that is kept in the log; the match is played again.
func (org *Orders) annul(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	return reply(org.orderAck(org.Annul(ctx, msg.Head().MatchID, msg.(*protocol.AnnulMatch).Reason,
		orderedBy(from, msg.Head()))))
}

// orderedBy returns the origin of an order that arrived as a message, for the log: the client, which is the part of the
// sender after the role (cli in admin:cli), and its address.
func orderedBy(from rpc.From, h *protocol.Envelope) string {
	role, via := protocol.ParseSender(h.Sender)
	if role != protocol.RoleAdmin || via == "" {
		via = "league.v2"
	}
	return strings.TrimSpace("admin via " + via + " " + from.Addr)
}
