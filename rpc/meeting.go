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
}

// ErrNoTool means that a server has no recognizable tool for moves.
var ErrNoTool = errors.New("no tool fits")

// Meet determines whether a player is a real MCP server, and the purposes of its tools. Asks is the question for a
// move in the league's game. Named maps purposes to tool names and overrides the detection. Meet returns nil
// for any other player, and for one that does not answer.
func (k *caller) Meet(ctx context.Context, endpoint string, asks protocol.Type, named map[string]string) (*Meeting,
	error) {
	byHand, err := dialect.TypesByHand(named, asks)
	if err != nil {
		return nil, err
	}
	network, ok := k.Network.(ToolCaller)
	if !ok || k.speaksLeague(ctx, endpoint) {
		return nil, unasked(named, endpoint)
	}
	tools, err := network.Introduce(ctx, endpoint)
	var refusal *protocol.Refusal
	switch {
	case errors.Is(err, ErrWantsToken) && errors.As(err, &refusal):
		return nil, fmt.Errorf("%s: %s%w", endpoint, refusal.Message, silent{ErrWantsToken})
	case err != nil:
		return nil, unasked(named, endpoint)
	}
	m := &Meeting{Dialect: dialect.ToolDialect(byHand), Calls: dialect.ToolUses(tools, asks, byHand)}
	return m, m.check(asks, byHand, tools)
}

// check returns why a server cannot play.
func (m *Meeting) check(asks protocol.Type, byHand map[protocol.Type]string, tools []dialect.Tool) error {
	for t, name := range byHand {
		if _, ok := dialect.FindTool(t, name, tools); !ok {
			return fmt.Errorf("it has no tool %s; its tools: %s%w", name, dialect.ToolNames(tools), silent{ErrNoTool})
		}
	}
	for _, use := range m.Calls {
		if use.Message == asks && use.Tool == "" {
			return fmt.Errorf("it is not clear which tool takes %s; its tools: %s%w", asks, dialect.ToolNames(tools),
				silent{ErrNoTool})
		}
	}
	return nil
}

// unasked returns an error if tools were named for an agent that has none.
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
