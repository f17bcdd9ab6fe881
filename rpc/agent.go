package rpc

import (
	"context"
	"encoding/hex"
	"sync/atomic"
	"time"

	"agentleague/protocol"
)

// An agent is the state that the server and the client side of a node share.
type agent struct {
	Options
	graded atomic.Bool // see SetStrict
	sender atomic.Pointer[string]
}

// Sender returns the node's sender name.
func (a *agent) Sender() string { return *a.sender.Load() }

// SetSender changes the node's sender name, after an id was granted.
func (a *agent) SetSender(sender string) { a.sender.Store(&sender) }

// SetStrict makes the node strict, or again as its options have it: a native agent is as strict as its league.
func (a *agent) SetStrict(strict bool) { a.graded.Store(strict) }

// IsStrict reports whether the node refuses messages that break a rule of the league.v2 documents.
func (a *agent) IsStrict() bool { return a.Strict || a.graded.Load() }

// Sleep waits for d, or returns an error when ctx ends first. The label describes the purpose, for simulated networks.
func (a *agent) Sleep(ctx context.Context, label string, d time.Duration) error {
	return a.Network.Sleep(ctx, label, d)
}

// Nonce returns size random bytes as hexadecimal text.
func (a *agent) Nonce(size int) string {
	b := make([]byte, size)
	a.Network.Random(b)
	return hex.EncodeToString(b)
}

// stamp fills in the envelope fields that all messages of this program have.
func (a *agent) stamp(m protocol.Message) {
	h := m.Head()
	h.Protocol, h.Sender, h.Timestamp = protocol.Version, a.Sender(), protocol.Stamp(time.Now())
}

// observe passes a message to the observer. Call it after the answer was encoded, which it must not change.
func (a *agent) observe(m Message) {
	if a.Observe != nil {
		m.ErrorCode = errorCode(m)
		a.Observe(m)
	}
}

// served reports the outcome of a request of type t to Options.Served.
func (a *agent) served(t protocol.Type, outcome string) {
	if a.Served != nil {
		a.Served(t, outcome)
	}
}

// called reports the outcome of a call with a message of type t to Options.Called.
func (a *agent) called(ctx context.Context, t protocol.Type, err error) {
	if a.Called != nil {
		a.Called(t, outcomeOfCall(ctx, err))
	}
}
