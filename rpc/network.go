package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
)

// A Network carries a node's calls and its waiting.
type Network interface {
	// Post sends body to url and returns the answer, with any status. The label describes the call. A deadline of ctx
	// counts even if no timer is set for it (see [Within]).
	Post(ctx context.Context, url, label string, body []byte) (status int, answer []byte, err error)
	// Probe returns nil if anything at all answers there.
	Probe(ctx context.Context, url string) error
	// Sleep returns after d, or with an error when ctx ends before, be it by a deadline that no timer is set for
	// (see [Within]).
	Sleep(ctx context.Context, label string, d time.Duration) error
	// Addresses returns the addresses from which the agent at an endpoint can call.
	Addresses(ctx context.Context, endpoint string) []string
	// Random fills b with random bytes.
	Random(b []byte)
}

// A ToolCaller is a network that can reach real MCP servers. Tools lists the tools of an endpoint, and Introduce does
// so in a new session; CallTool returns the result as a server writes it.
type ToolCaller interface {
	Tools(ctx context.Context, endpoint string) ([]dialect.Tool, error)
	Introduce(ctx context.Context, endpoint string) ([]dialect.Tool, error)
	CallTool(ctx context.Context, endpoint, name string, arguments json.RawMessage) (json.RawMessage, error)
}

// label describes a call, in the same words for each retry.
func label(m protocol.Message) string {
	h := m.Head()
	switch {
	case h.MatchID != "":
		return string(h.MessageType) + " " + h.MatchID
	case h.RoundID != 0:
		return fmt.Sprintf("%s %d", h.MessageType, h.RoundID)
	}
	return string(h.MessageType)
}
