package placement

import (
	"context"
	"encoding/json"
	"errors"

	"agentleague/cluster/relay"
	"agentleague/protocol"
	"agentleague/rpc"
)

// forward answers a tool call for a league of another manager, as [rpc.Options] requires. An MCP session belongs to the
// manager that opened it, so the HTTP request itself cannot be relayed. It returns ok false if the call is for this
// manager, or if no manager could be reached within [handoverTimeout]; this manager then answers with the league's
// location.
func (f *front) forward(ctx context.Context, from rpc.From, body []byte) (answer []byte, ok bool) {
	id, ok := f.named(body)
	if !ok {
		return nil, false
	}
	q := relay.Question{
		Caller: from.Addr, Token: from.Token, Via: f.server.Address(), Path: "/leagues/" + id + "/mcp", Body: body,
	}
	_, ok = f.atOwner(ctx, id, handoverTimeout, func(address string) (err error) {
		ctx, stop := f.whileMember(ctx, address)
		defer stop()
		answer, err = f.relay.Ask(ctx, q, address)
		if err == nil && !json.Valid(answer) || errors.Is(err, relay.ErrBroken) {
			answer, err = brokenOff(id), nil
		}
		return err
	})
	return answer, ok
}

// brokenOff returns the answer to a call of which the outcome is unknown: the caller has to check.
func brokenOff(id string) []byte {
	type failure struct {
		Code    int               `json:"code"`
		Message string            `json:"message"`
		Data    map[string]string `json:"data"`
	}
	answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "error": failure{
		Code: protocol.InternalError, Message: "Internal error",
		Data: map[string]string{"detail": "the manager of " + id + " went away while it answered; see what the league's state is, and try again"},
	}})
	return answer
}
