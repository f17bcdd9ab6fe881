package rpc

import (
	"encoding/json"
	"errors"

	"agentleague/dialect"
	"agentleague/protocol"
)

// What the layers above need of how others speak. They know nothing of package
// dialect: all else is between a node and its peers.

// Read reads a message that lies in another one, in whatever words its sender has.
func Read(raw json.RawMessage, t protocol.Type) (protocol.Message, error) {
	m, _, err := dialect.Read(raw, protocol.Reading{Type: t})
	return m, err
}

// Wide writes an order with its members under all the names that referees look for.
func Wide(order *protocol.StartMatch) (json.RawMessage, error) { return dialect.Wide(order) }

// NotNow reports whether a call failed because the peer has no time just now: it
// says nothing about the message, which may be sent again.
func NotNow(err error) bool {
	var refusal *protocol.Refusal
	return errors.As(err, &refusal) && dialect.BlameOf(refusal) == dialect.BlameMoment
}
