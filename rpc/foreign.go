package rpc

import (
	"encoding/json"
	"errors"

	"agentleague/dialect"
	"agentleague/protocol"
)

// The parts of dialects that the layers above need. They do not import package dialect: all else is between a node
// and its peers.

// Read reads a message within another one, in any dialect.
func Read(raw json.RawMessage, t protocol.Type) (protocol.Message, error) {
	m, _, err := dialect.Read(raw, protocol.Reading{Type: t})
	return m, err
}

// Wide writes an order with its members under all the names that referees accept.
func Wide(order *protocol.StartMatch) (json.RawMessage, error) { return dialect.Wide(order) }

// NotNow reports whether a call failed because the peer is busy: the message is not at fault and may be sent again.
func NotNow(err error) bool {
	var refusal *protocol.Refusal
	return errors.As(err, &refusal) && dialect.BlameOf(refusal) == dialect.BlameMoment
}
