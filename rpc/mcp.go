package rpc

import (
	"context"
	"encoding/json"

	"agentleague/dialect"
	"agentleague/protocol"
)

// A ToolCaller is a network that can reach real MCP servers. Tools lists what
// an endpoint offers; CallTool returns the result as a server writes it.
type ToolCaller interface {
	Tools(ctx context.Context, endpoint string) ([]dialect.Tool, error)
	CallTool(ctx context.Context, endpoint, name string, arguments json.RawMessage) (json.RawMessage, error)
}

// callTool sends a message to a real MCP server, with the members that the
// tool for it declares.
func (n *Node) callTool(ctx context.Context, to Peer, m protocol.Message) (status int, answer []byte, err error) {
	network, ok := n.Network.(ToolCaller)
	if !ok {
		return 0, nil, &protocol.Refusal{Code: protocol.MethodNotFound, Message: "this network reaches no MCP servers"}
	}
	tools, err := network.Tools(ctx, to.Endpoint)
	if err != nil {
		return 0, nil, err
	}
	tool, ok := dialect.PickTool(m.Head().MessageType, tools)
	if !ok {
		return 0, nil, &protocol.Refusal{Code: protocol.MethodNotFound, Message: "no tool for " + string(m.Head().MessageType)}
	}
	arguments, err := tool.Arguments(m)
	if err != nil {
		return 0, nil, err
	}
	result, err := network.CallTool(ctx, to.Endpoint, tool.Name, arguments)
	if err != nil {
		return 0, nil, err
	}
	answer, err = json.Marshal(map[string]json.RawMessage{"result": result})
	return 200, answer, err
}
