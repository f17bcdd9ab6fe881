package rpc

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"agentleague/protocol"
)

// The outcomes of a request or call, for metrics, besides the error codes of the protocol and of JSON-RPC.
const (
	OK        = "ok"
	Refused   = "refused"   // by a peer, with an error that no table has
	Cancelled = "cancelled" // the caller does not wait any more
)

// ownCodes are JSON-RPC's own errors.
var ownCodes = []int{protocol.ParseError, protocol.InvalidRequest, protocol.MethodNotFound, protocol.InvalidParams,
	protocol.InternalError}

// Outcomes returns all possible outcomes of an exchange, a fixed set whatever peers answer.
func Outcomes() []string {
	out := []string{OK, Refused, Cancelled}
	for _, code := range ownCodes {
		out = append(out, strconv.Itoa(code))
	}
	for _, kind := range protocol.Kinds {
		out = append(out, kind.Code)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// outcomeOfRequest returns the outcome of a request that the node served, for metrics. A caller that disconnected is
// not counted as an error of this node.
func outcomeOfRequest(ctx context.Context, err error) string {
	switch {
	case err == nil:
		return OK
	case gone(ctx, err):
		return Cancelled
	}
	return codeOf(protocol.AsError(err))
}

// gone reports whether a request failed only because its caller has disconnected.
func gone(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, context.Canceled)
}

// outcomeOfCall returns the outcome of a call that the node made, for metrics. The set is fixed: third-party text never
// becomes an outcome.
func outcomeOfCall(ctx context.Context, err error) string {
	if err == nil {
		return OK
	}
	var known *protocol.Error
	var theirs *protocol.Refusal
	switch {
	case errors.Is(err, ErrAnswered):
		return OK
	case errors.As(err, &known):
		return codeOf(known)
	case errors.As(err, &theirs):
		return outcomeOfRefusal(theirs)
	case ctx.Err() != nil:
		return Cancelled
	}
	return protocol.Internal.Code
}

// codeOf returns the code of an error, or the internal code if its kind is not one of the protocol's.
func codeOf(e *protocol.Error) string {
	if !slices.Contains(protocol.Kinds, e.Kind) {
		return protocol.Internal.Code
	}
	return e.Kind.Code
}

// outcomeOfRefusal returns the code that a peer refused with, if it is one of the protocol's.
func outcomeOfRefusal(r *protocol.Refusal) string {
	if kind, named := refused(r); named {
		return kind.Code
	}
	if slices.Contains(ownCodes, r.Code) {
		return strconv.Itoa(r.Code)
	}
	return Refused
}
