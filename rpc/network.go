package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
)

// A Network implements a node's calls and delays.
type Network interface {
	// Post sends body to url and returns the answer, whatever the status. The label describes the call. It must return
	// at the deadline of ctx even if Done is not closed then (see [Within]).
	Post(ctx context.Context, url, label string, body []byte) (status int, answer []byte, err error)
	// Probe returns nil if any server answers at url.
	Probe(ctx context.Context, url string) error
	// Sleep waits for d. It returns an error if ctx ends first, including by a deadline at which Done is not closed
	// (see [Within]).
	Sleep(ctx context.Context, label string, d time.Duration) error
	// Addresses returns the addresses from which the agent at an endpoint can call.
	Addresses(ctx context.Context, endpoint string) []string
	// Random fills b with random bytes.
	Random(b []byte)
}

// Mailboxes reach the agents of a manager that cannot be called, at endpoints such as "mailbox:ID".
type Mailboxes interface {
	// Post returns the answer of the agent to body.
	Post(ctx context.Context, endpoint string, body []byte) (status int, answer []byte, err error)
	// Probe returns nil if the agent reads its mailbox.
	Probe(endpoint string) error
}

// realNetwork returns the [HTTP] that n is or embeds, or nil if n is a simulated network.
func realNetwork(n Network) *HTTP {
	if h, ok := n.(interface{ between() *HTTP }); ok {
		return h.between()
	}
	return nil
}

// between returns h. Through it realNetwork recognizes h, even inside of a network that embeds h.
func (h *HTTP) between() *HTTP { return h }

// A ToolCaller is a network that can call MCP servers. Tools returns the tools of an endpoint, from an existing session
// if there is one; Introduce opens a new session first, and also returns the address of the server. CallTool returns the
// result as JSON, or an error that wraps [ErrSessionLost].
type ToolCaller interface {
	Tools(ctx context.Context, endpoint string) ([]dialect.Tool, error)
	Introduce(ctx context.Context, endpoint string) (tools []dialect.Tool, at string, err error)
	CallTool(ctx context.Context, endpoint, name string, arguments json.RawMessage) (json.RawMessage, error)
}

// label returns a description of the call with message m that is the same for each retry.
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
