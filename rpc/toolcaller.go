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

// sendToTool sends the message to a real MCP server, with the members that its
// tool for such a message declares.
func (c *call) sendToTool(ctx context.Context) (status int, answer []byte, err error) {
	network, ok := c.node.Network.(ToolCaller)
	if !ok {
		return 0, nil, &protocol.Refusal{Code: protocol.MethodNotFound, Message: "this network reaches no MCP servers"}
	}
	tools, err := network.Tools(ctx, c.to.Endpoint)
	if err != nil {
		return 0, nil, err
	}
	tool, ok := dialect.PickTool(c.spec.Type, tools)
	if !ok {
		return 0, nil, &protocol.Refusal{Code: protocol.MethodNotFound, Message: "no tool for " + string(c.spec.Type)}
	}
	arguments, err := tool.Arguments(c.m)
	if err != nil {
		return 0, nil, err
	}
	result, err := network.CallTool(ctx, c.to.Endpoint, tool.Name, arguments)
	if err != nil {
		return 0, nil, err
	}
	answer, err = json.Marshal(map[string]json.RawMessage{"result": result})
	return 200, answer, err
}
