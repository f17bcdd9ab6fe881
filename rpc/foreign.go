package rpc

import (
	"encoding/json"
	"errors"

	"agentleague/dialect"
	"agentleague/protocol"
)

// The functions of package dialect that higher layers need. They do not import package dialect, so that dialects remain
// a matter between a node and its peers.

// Read decodes a message of type t inside another message, in any dialect.
func Read(raw json.RawMessage, t protocol.Type) (protocol.Message, error) {
	m, _, err := dialect.Read(raw, protocol.Reading{Type: t})
	return m, err
}

// Wide encodes an order with each field under all the names that referees accept.
func Wide(order *protocol.StartMatch) (json.RawMessage, error) { return dialect.Wide(order) }

// NotNow reports whether a call failed because the peer is busy, so that the same message may be sent again.
func NotNow(err error) bool {
	var refusal *protocol.Refusal
	return errors.As(err, &refusal) && dialect.BlameOf(refusal) == dialect.BlameMoment
}
