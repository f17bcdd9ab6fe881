package placement

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"agentleague/cluster/relay"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A forwarder sends tool calls that name another league of the cluster to that league's manager. An MCP session
// belongs to the manager that opened it, so the HTTP request itself cannot be relayed.
type forwarder struct {
	*owners
	relay  *relay.Relay
	via    string // the address of this manager
	logger *slog.Logger
}

// forward answers a call for a league of another manager, as [rpc.Options] requires. It returns ok false if the call
// is for this manager, or if no manager could be reached within [handOver]; this manager then answers with the
// league's location.
func (f *forwarder) forward(ctx context.Context, from rpc.From, body []byte) (answer []byte, ok bool) {
	id, ok := f.named(body)
	if !ok {
		return nil, false
	}
	q := relay.Question{Caller: from.Addr, Token: from.Token, Via: f.via, Path: "/leagues/" + id + "/mcp", Body: body}
	for end := time.Now().Add(handOver); ; {
		address, mine, known := f.member.Owner(id)
		if mine || !known {
			return nil, false
		}
		if address != "" {
			answer, err := f.relay.Ask(ctx, q, address)
			switch {
			case err == nil && json.Valid(answer):
				return answer, true
			case err == nil || errors.Is(err, relay.ErrBroken):
				return brokenOff(id), true
			}
			f.logger.Debug("the call of a tool was not passed on yet", "league_id", id, "to", address, "error", err)
		}
		if time.Now().After(end) || !f.pause(ctx) {
			return nil, false
		}
	}
}

// brokenOff is the answer to a call that may or may not have taken effect: the caller has to check.
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
