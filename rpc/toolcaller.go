package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
)

// sendToTool sends the message to a real MCP server, with the fields that the server's tool declares. name is the tool,
// or "" to select it automatically. If the server has lost the session, the call is made once more in a new session,
// with the tool that fits then.
func (c *call) sendToTool(ctx context.Context, name string) (status int, answer []byte, err error) {
	network, ok := c.caller.Network.(ToolCaller)
	if !ok {
		return 0, nil, noSuchMethod("this network reaches no MCP servers")
	}
	for again := true; ; again = false {
		status, answer, err = c.callTool(ctx, network, name)
		if !again || !errors.Is(err, ErrSessionLost) {
			return status, answer, err
		}
	}
}

// callTool is sendToTool without a second try in a new session.
func (c *call) callTool(ctx context.Context, network ToolCaller, name string) (status int, answer []byte, err error) {
	began := time.Now()
	tools, err := network.Tools(ctx, c.to.Endpoint)
	if err != nil {
		return 0, nil, err
	}
	searchedSince(ctx, began)
	if name == "" && dialect.ForPlayer(c.spec.Type) && !c.plays(tools) {
		c.unfit = noTool(c.spec.Type, tools) // it may play by messages
		return 0, nil, c.unfit
	}
	c.met = true
	tool, ok := dialect.FindTool(c.spec.Type, name, tools)
	switch {
	case !ok && name == "" && c.spec.Type == protocol.TypeGameInvitation && c.plays(tools):
		return 200, impliedJoin, nil
	case !ok:
		c.toolless = true
		return 0, nil, noTool(c.spec.Type, tools)
	}
	arguments, err := tool.Arguments(c.m)
	if err != nil {
		return 0, nil, err
	}
	c.tool = tool.Name
	result, err := network.CallTool(ctx, c.to.Endpoint, tool.Name, arguments)
	if err != nil {
		return 0, nil, err
	}
	if refusal := dialect.ToolRefusal(tool.Name, result); refusal != nil {
		return 0, nil, refusal
	}
	answer, err = json.Marshal(map[string]json.RawMessage{"result": result})
	return 200, answer, err
}

// noTool returns the refusal for a server without a tool for a message.
func noTool(t protocol.Type, tools []dialect.Tool) error {
	return noSuchMethod(fmt.Sprintf("no tool for %s; its tools: %s", t, dialect.ToolNames(tools)))
}

// noSuchMethod returns the refusal for a message for which the peer has no method. why is the error text.
func noSuchMethod(why string) *protocol.Refusal {
	return &protocol.Refusal{Code: protocol.MethodNotFound, Message: why}
}

// impliedJoin is the assumed answer to an invitation of a server that has a tool for moves but none for invitations.
var impliedJoin = []byte(`{"result":{"accept":true}}`)

// plays reports whether the peer has a tool for moves, detected or configured.
func (c *call) plays(tools []dialect.Tool) bool {
	p := c.peer()
	for _, t := range []protocol.Type{protocol.TypeChooseParityCall, protocol.TypeGameMoveCall} {
		if _, form, known := p.form(t); known && form.Frame == "mcp" {
			return true
		}
	}
	return dialect.Plays(tools)
}

// isAnswer reports whether a tool call returned an answer, valid or not.
func isAnswer(err error) bool {
	var refusal *protocol.Refusal
	var wrong *protocol.Error
	return err == nil || errors.As(err, &refusal) || errors.As(err, &wrong) && Permanent(err) == nil &&
		wrong.Kind != protocol.Timeout && wrong.Kind != protocol.Connection
}

// uselessAnswer returns the error for an unexpected answer of a tool, after which no callback is awaited.
func (c *call) uselessAnswer(answer []byte) error {
	if c.objection != nil {
		return c.objection
	}
	f, _ := protocol.ParseFields(answer)
	said := dialect.AllTexts(f["result"])
	if said == "" {
		said = protocol.Clip(protocol.Plain(string(f["result"])), 200)
	}
	return protocol.Errorf(protocol.InvalidMessage, "the tool %s answered %q, which is no %s", c.tool, said, c.spec.Reply)
}
