package rpc

import (
	"context"

	"agentleague/protocol"
)

// Refused requests are counted by address. An address above the limit gets only the rate-limit error, without a log
// line. Accepted requests are not limited, since all agents of a league may share one address.

// refuse counts a refused request and returns the answer, or the rate-limit error if there were too many.
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

// tooOften returns the rate-limit error as the answer to a request, or nil for a notification.
func (s *responder) tooOften(req request) (answer []byte) {
	s.served(req.spec.Type, protocol.RateLimited.Code)
	if !req.silent() {
		answer, _, _ = s.frame(req, nil, TooMany("requests"))
	}
	return answer
}

// oneTooMany counts a refused request, and reports whether its address has exceeded
// the limit. Failures of this agent are not counted.
func (s *responder) oneTooMany(ctx context.Context, from From, reply protocol.Message, err error) bool {
	if err == nil && !turnedAway(reply) || err != nil && ownFailure(ctx, err) {
		return false
	}
	return !s.failed.Allow(s.Limits.Failed, from.Addr)
}

// ownFailure reports whether an error is a failure of this agent, or only means that the caller has disconnected.
func ownFailure(ctx context.Context, err error) bool {
	e := protocol.AsError(err)
	return e.Kind == protocol.Internal || e.Passing || gone(ctx, err)
}

// turnedAway reports whether reply is the refusal of a registration.
func turnedAway(reply protocol.Message) bool {
	switch r := reply.(type) {
	case *protocol.LeagueRegisterResponse:
		return r.Status == protocol.Rejected
	case *protocol.RefereeRegisterResponse:
		return r.Status == protocol.Rejected
	}
	return false
}
