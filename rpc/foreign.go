package rpc

import (
	"encoding/json"
	"errors"

	"agentleague/dialect"
	"agentleague/protocol"
)

// The functions below give higher layers access to package dialect, which they do not import.

// Read decodes a message of type t that is part of another message, in any dialect.
func Read(raw json.RawMessage, t protocol.Type) (protocol.Message, error) {
	m, _, err := dialect.Read(raw, protocol.Reading{Type: t})
	return m, err
}

// Wide encodes an order with each field under all the names that third-party referees are known to read.
func Wide(order *protocol.StartMatch) (json.RawMessage, error) { return dialect.Wide(order) }

// NotNow reports whether a call failed only because the peer is busy, so that the caller may retry it.
func NotNow(err error) bool {
	var refusal *protocol.Refusal
	return errors.As(err, &refusal) && dialect.BlameOf(refusal) == dialect.BlameMoment
}
