package rpc

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"agentleague/dialect"
	"agentleague/protocol"
)

// A responder answers the league.v2 requests to a node.
type responder struct {
	*agent
	handlers handlers
	asked    addressLimiter // messages without a token
	failed   addressLimiter // refused requests
	expected *expectations  // answers that may come by a callback
}

// takes reports whether the node accepts messages of a type.
func (s *responder) takes(t protocol.Type) bool { return s.handlers.find(t) != nil || answerable[t] }

// takesNamed reports whether a name, in any dialect, is that of a message that the node accepts.
func (s *responder) takesNamed(name string) bool {
	return slices.ContainsFunc(dialect.TypesNamed(name), s.takes)
}

// run passes a message to its handler, or, if h is nil, to the expectation that it answers. A panic of the handler, or
// a nil answer, is returned as an error.
func (s *responder) run(ctx context.Context, h Handler, from From, m protocol.Message) (reply protocol.Message, err error) {
	if h == nil {
		return s.expected.deliver(from, m)
	}
	defer func() {
		if p := recover(); p != nil {
			reply, err = nil, fmt.Errorf("handler failed: %v\n%s", p, debug.Stack())
		}
	}()
	reply, err = h(ctx, from, m)
	if err == nil {
		_ = *reply.Head()
	}
	return reply, err
}
