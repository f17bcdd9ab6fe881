package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"agentleague/dialect"
	"agentleague/dialect/notation"
	"agentleague/mailbox"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A ToolPlayer is the player of an MCP server that its manager cannot call. It answers each message of the manager and of
// referees by a call of one of the server's tools.
//
//	manager ── letters ─▶ link ─▶ ToolPlayer ── tools/call ─▶ the server
type ToolPlayer struct {
	server rpc.Peer
	node   *rpc.Node
}

// NewToolPlayer returns the player of the server at an endpoint, which is spoken to in a dialect of [rpc.Meeting].
func NewToolPlayer(o rpc.Options, endpoint, spoken string) *ToolPlayer {
	o.Limits.Open = 1e6 // the mailbox has its own limits
	p := &ToolPlayer{server: rpc.Peer{Endpoint: endpoint, Dialect: spoken}, node: rpc.NewNode("player:tools", o)}
	for _, spec := range protocol.Specs() {
		if dialect.ForPlayer(spec.Type) {
			p.node.HandleOpen(spec.Type, p.pass)
		}
	}
	return p
}

// pass calls the tool for a message and returns the server's answer. News for which the server has no tool is acknowledged.
func (p *ToolPlayer) pass(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	reply, err := p.node.Call(ctx, p.server, m)
	spec, _ := protocol.Lookup(m.Head().MessageType)
	var refusal *protocol.Refusal
	switch {
	case err == nil && reply == nil,
		errors.As(err, &refusal) && refusal.Code == protocol.MethodNotFound && protocol.IsAck(spec.Reply):
		return &protocol.Ack{Envelope: protocol.Envelope{MessageType: spec.Reply}, Status: protocol.Acknowledged}, nil
	case errors.As(err, &refusal):
		return nil, protocol.Errorf(protocol.InvalidMove, "%s", refusal.Message)
	case err != nil:
		return nil, fmt.Errorf("the MCP server at %s: %w", p.server.Endpoint, err)
	}
	return reply, nil
}

// Deliver answers a letter, and is a [mailbox.Config].Deliver.
func (p *ToolPlayer) Deliver(ctx context.Context, body []byte) mailbox.Answer {
	return mailbox.Answer{Status: http.StatusOK, Body: p.node.Answer(ctx, rpc.From{Path: "mcp"}, body)}
}

// Register registers the player under a name with the manager of a link.
func (p *ToolPlayer) Register(ctx context.Context, link *mailbox.Link, name string) (*protocol.LeagueRegisterResponse, error) {
	body, err := dialect.Frame("", notation.Form{}, &protocol.LeagueRegisterRequest{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueRegisterRequest, Protocol: protocol.Version,
			Sender: p.node.Sender(), Timestamp: protocol.Stamp(time.Now()), ConversationID: "conv-register"},
		Meta: protocol.AgentMeta{DisplayName: name, Version: "1.0.0", ProtocolVersion: protocol.Release, ContactEndpoint: link.Endpoint()},
	}, 1)
	if err != nil {
		return nil, err
	}
	a, err := link.Send(ctx, body)
	if err != nil {
		return nil, err
	}
	reply, _, err := dialect.Unframe(a.Status, a.Body, protocol.TypeLeagueRegisterResponse, protocol.Reading{})
	if err != nil {
		return nil, err
	}
	answer, ok := reply.(*protocol.LeagueRegisterResponse)
	if !ok {
		return nil, fmt.Errorf("its answer to the registration is not understood: %.200q", a.Body)
	}
	if answer.PlayerID != nil {
		p.node.SetSender("player:" + *answer.PlayerID)
	}
	return answer, nil
}
