package rpc

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/protocol"
)

// An Audience is the kind of client that lists the tools.
type Audience string

// The audiences. tools/list returns to each the tools that it may call; each call is authorized separately.
const (
	ForProgram Audience = "program" // everything, with the schemas of answers
	ForAdmin   Audience = "admin"   // everything
	ForGuest   Audience = "guest"   // tools without a token, and joining
	ForSeat    Audience = "seat"    // tools for a seat, and the table
	ForPlayer  Audience = "player"  // the tools for guests and for registered players
	ForReferee Audience = "referee" // the same for a referee
)

// listFor makes tools/list return only the tools for the caller's audience. All callers share the tools themselves.
func (g *gateway) listFor(audience func(context.Context, From) Audience, h *handlers) {
	g.server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			list, ok := res.(*mcp.ListToolsResult)
			if asked, is := req.(*mcp.ListToolsRequest); ok && is && err == nil {
				who, shown := audience(ctx, fromExtra(asked.Extra)), []*mcp.Tool{} // never null
				for _, tool := range list.Tools {
					if who.may(h, tool.Name) {
						shown = append(shown, brief(who, tool))
					}
				}
				list.Tools, list.CacheScope = shown, "private"
			}
			return res, err
		}
	})
}

// brief removes the parts of a tool that a model does not read: output schemas, which are half of the list.
func brief(who Audience, tool *mcp.Tool) *mcp.Tool {
	if who == ForProgram {
		return tool
	}
	short := *tool
	short.OutputSchema = nil
	return &short
}

// may reports whether an audience sees a tool. h holds the node's handlers. Tools that are not messages, such as
// watch_league, are visible to all.
func (who Audience) may(h *handlers, tool string) bool {
	spec, message := protocol.ByMethod(tool)
	if who == ForProgram || who == ForAdmin || !message {
		return true
	}
	switch t := spec.Type; who {
	case ForSeat:
		return t == protocol.TypeGetStandings || t == protocol.TypeGetSchedule
	case ForPlayer:
		return h.open(t) || spec.From == string(protocol.RolePlayer) || spec.From == anAgent
	case ForReferee:
		return h.open(t) || spec.From == string(protocol.RoleReferee) || spec.From == anAgent
	}
	return h.open(spec.Type) || registers(spec.Type)
}

// anAgent is the word in the protocol's table of messages that stands for a player or a referee.
const anAgent = "agent"

// registers reports whether a message is a registration.
func registers(t protocol.Type) bool {
	return t == protocol.TypeLeagueRegisterRequest || t == protocol.TypeRefereeRegisterRequest
}
