package rpc

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"agentleague/dialect"
	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// A Meeting is the result of the first handshake with a player that is a real MCP server.
type Meeting struct {
	Dialect string             // how it is spoken to from then on
	Calls   []protocol.ToolUse // the tool for each message
	At      string             // the address at which the server was found; mostly the endpoint
}

// ErrNoTool means that a server has no recognizable tool for moves.
var ErrNoTool = errors.New("no tool fits")

// ErrNoValue means that a tool requires an argument for which the messages of the league have no value.
var ErrNoValue = errors.New("an argument has no value")

// Meet determines whether a player is a real MCP server, and the purposes of its tools. question is an example of the
// question for a move in the league's game; without a match id it stands only for its type. named maps purposes to tool
// names and overrides the detection. Meet returns nil for any other player, and for one that does not answer.
func (k *caller) Meet(ctx context.Context, endpoint string, question protocol.Message, named map[string]string) (*Meeting,
	error) {
	asks := question.Head().MessageType
	byHand, err := dialect.TypesByHand(named, asks)
	if err != nil {
		return nil, err
	}
	network, ok := k.Network.(ToolCaller)
	if !ok || k.speaksLeague(ctx, endpoint) {
		return nil, unasked(named, endpoint)
	}
	tools, at, err := network.Introduce(ctx, endpoint)
	var refusal *protocol.Refusal
	switch {
	case errors.Is(err, ErrWantsCredentials) && errors.As(err, &refusal):
		return nil, fmt.Errorf("%s: %s%w", endpoint, refusal.Message, silent{ErrWantsCredentials})
	case err != nil:
		return nil, unasked(named, endpoint)
	}
	m := &Meeting{At: at, Dialect: dialect.ToolDialect(byHand), Calls: dialect.ToolUses(tools, asks, byHand)}
	return m, m.check(question, byHand, tools)
}

// check returns an error with the reason for which a server cannot play, or nil.
func (m *Meeting) check(question protocol.Message, byHand map[protocol.Type]string, tools []dialect.Tool) error {
	for t, name := range byHand {
		if _, ok := dialect.FindTool(t, name, tools); !ok {
			return fmt.Errorf("it has no tool %s; its tools: %s%w", name, dialect.ToolNames(tools), silent{ErrNoTool})
		}
	}
	asks := question.Head().MessageType
	for _, use := range m.Calls {
		if use.Message == asks && use.Tool == "" {
			return fmt.Errorf("it is not clear which tool takes %s; its tools: %s%w", asks, dialect.ToolNames(tools),
				silent{ErrNoTool})
		}
	}
	if question.Head().MatchID == "" {
		return nil
	}
	for _, example := range []protocol.Message{invitationTo(question), question} {
		if err := m.checkArguments(example, byHand, tools); err != nil {
			return err
		}
	}
	return nil
}

// checkArguments returns an error if the tool for a message requires arguments for which the message has no values.
func (m *Meeting) checkArguments(example protocol.Message, byHand map[protocol.Type]string, tools []dialect.Tool) error {
	t := example.Head().MessageType
	tool, ok := dialect.FindTool(t, byHand[t], tools)
	if !ok {
		return nil
	}
	missing := tool.Unfilled(example)
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("the tool %s requires %s, for which %s has no value; give it a default in the server, or name another tool%w",
		tool.Name, protocol.Clip(protocol.Plain(strings.Join(missing, " and ")), 200), t, silent{ErrNoValue})
}

// invitationTo returns an example of the invitation to the match of a question.
func invitationTo(question protocol.Message) protocol.Message {
	head := *question.Head()
	head.MessageType = protocol.TypeGameInvitation
	out := &protocol.GameInvitation{Envelope: head, RoleInMatch: "PLAYER_A", Role: "PLAYER_A", Attempt: 1}
	switch q := question.(type) {
	case *protocol.ChooseParityCall:
		out.GameType, out.PlayerID, out.OpponentID = q.GameType, q.PlayerID, q.Context.OpponentID
	case *protocol.GameMoveCall:
		out.GameType, out.PlayerID, out.OpponentID = q.GameType, q.PlayerID, q.OpponentID
	}
	return out
}

// unasked returns an error if the admin named tools for an agent that is not an MCP server.
func unasked(named map[string]string, endpoint string) error {
	if len(named) == 0 {
		return nil
	}
	return fmt.Errorf("tools are named, and no MCP server answers at %s", endpoint)
}

// speaksLeague reports whether an agent answers a league.v2 ping. Then league.v2 is used, even if the agent also speaks
// MCP.
func (k *caller) speaksLeague(ctx context.Context, endpoint string) bool {
	ping := &protocol.Tool{Envelope: protocol.Envelope{MessageType: protocol.TypePing}}
	k.stamp(ping)
	body, err := dialect.Frame("", notation.Form{}, ping, k.nextID.Add(1))
	if err != nil {
		return false
	}
	status, answer, err := k.Network.Post(ctx, endpoint, "ping", body)
	return err == nil && status/100 == 2 && strings.Contains(string(answer), string(protocol.TypePong))
}
