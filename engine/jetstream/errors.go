package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"agentleague/engine"
)

// errNever is wrapped by permanent errors: a retry cannot succeed.
var errNever = errors.New("not there")

// errChanged means that another writer has changed a key since it was read.
var errChanged = errors.New("another writer was first")

// A DamageError is an [engine.ErrDamaged] with the log and the line.
type DamageError struct {
	Log    string
	Stream string
	Seq    uint64 // of the line; 0: unknown
	What   string
}

// Error names the place and the remedy.
func (e *DamageError) Error() string {
	where := ""
	if e.Seq > 0 {
		where = fmt.Sprintf(" at line %d", e.Seq)
	}
	return fmt.Sprintf("%v%s in stream %s: %s; stop the managers, keep a copy of the NATS store as it is, and restore %s from a backup",
		engine.ErrDamaged, where, e.Stream, e.What, e.Log)
}

// Unwrap returns [engine.ErrDamaged].
func (e *DamageError) Unwrap() error { return engine.ErrDamaged }

// isFinal reports whether an error is permanent. Errors during a leader election or a reconnection are not.
func isFinal(err error) bool {
	var api *jetstream.APIError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, engine.ErrDamaged):
		return true
	case errors.Is(err, errChanged), errors.Is(err, nats.ErrMaxPayload), errors.Is(err, errNever):
		return true
	case errors.As(err, &api):
		if api.ErrorCode == errNoPeers || api.ErrorCode == errInsufficient { // a node may be on its way
			return false
		}
		return api.Code/100 == 4 && api.Code != 408 || isFull(api) || api.ErrorCode == errNotClustered
	}
	return false
}

// isWrongLast reports whether the server rejected a message because its subject does not end where the writer expected.
// Replicated streams also return that error while another message is in flight.
func isWrongLast(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// JetStream error codes that the library has no name for.
const (
	errNoPeers      = 10005 // no suitable peers for placement
	errInsufficient = 10023 // insufficient resources
	errNotClustered = 10074 // replicas > 1 not supported in non-clustered mode
	errStorage      = 10047 // insufficient storage resources available
	errMemory       = 10028 // insufficient memory resources available
	errLimits       = 10002 // resource limits exceeded for account
	errStore        = 10077 // the store failed, with a reason
)

// isFull reports whether the server rejected a message for lack of space.
func isFull(api *jetstream.APIError) bool {
	switch api.ErrorCode {
	case errStorage, errMemory, errLimits, errInsufficient:
		return true
	case errStore:
		return strings.Contains(api.Description, "maximum") || strings.Contains(api.Description, "space")
	}
	return false
}
