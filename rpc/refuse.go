package rpc

import (
	"context"

	"agentleague/protocol"
)

// Refused requests are counted by address. An address above the limit gets only the rate-limit error, without a log
// line. Accepted requests are not limited, since a whole league may share the address.

// refuse answers a request that asks for nothing which this agent takes.
func (s *responder) refuse(from From, req request, outcome string, answer []byte) []byte {
	if s.failed.Allow(s.Limits.Failed, from.Addr) {
		s.served("", outcome)
		return answer
	}
	s.served("", protocol.RateLimited.Code)
	if answer == nil {
		return nil
	}
	answer, _, _ = s.frame(req, nil, TooMany("requests that are refused"))
	return answer
}

// tooOften answers a request that needs no token and came too often.
func (s *responder) tooOften(req request) (answer []byte) {
	s.served(req.spec.Type, protocol.RateLimited.Code)
	if !req.silent() {
		answer, _, _ = s.frame(req, nil, TooMany("requests"))
	}
	return answer
}

// oneTooMany counts a request that was refused, and reports whether there were
// too many. A failure of this agent's own is not the caller's.
func (s *responder) oneTooMany(ctx context.Context, from From, reply protocol.Message, err error) bool {
	if err == nil && !turnedAway(reply) || err != nil && ownFailure(ctx, err) {
		return false
	}
	return !s.failed.Allow(s.Limits.Failed, from.Addr)
}

// ownFailure reports whether an error is this agent's, or only that the caller has gone.
func ownFailure(ctx context.Context, err error) bool {
	e := protocol.AsError(err)
	return e.Kind == protocol.Internal || e.Passing || gone(ctx, err)
}

// turnedAway reports whether an answer is a registration's refusal.
func turnedAway(reply protocol.Message) bool {
	switch r := reply.(type) {
	case *protocol.LeagueRegisterResponse:
		return r.Status == protocol.Rejected
	case *protocol.RefereeRegisterResponse:
		return r.Status == protocol.Rejected
	}
	return false
}
