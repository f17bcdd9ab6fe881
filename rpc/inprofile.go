package rpc

import (
	"context"
	"errors"
	"slices"

	"agentleague/dialect"
	"agentleague/dialect/notation"
	"agentleague/protocol"
	"agentleague/protocol/conform"
)

// inProfileRules returns the violations in all that also violate the document which the node imitates (its profile).
func (a *agent) inProfileRules(all []conform.Violation) []conform.Violation {
	return slices.DeleteFunc(all, func(v conform.Violation) bool { return a.Profile.Documents(v.Rule, v.Member) })
}

// inProfile reports whether the message is written in the node's profile. This program's agents understand the default
// profile, and what they authenticate must not be changed.
func (c *call) inProfile() bool {
	return c.caller.Profile != nil && (c.to.Dialect != protocol.Canonical || c.spec.Type.Registers())
}

// sayOnce sends the message in the node's profile and returns the answer; no other encoding is tried. If the peer does
// not know the method of a broadcast, it does not receive that broadcast again, since the documents require few
// methods.
func (c *call) sayOnce(ctx context.Context) (protocol.Message, []string, error) {
	p := c.peer()
	if _, form, known := p.form(c.spec.Type); known && form == notation.Ignored {
		return nil, nil, c.ignored()
	}
	reply, warnings, err := c.say(ctx, "", &ourForm)
	var refusal *protocol.Refusal
	if protocol.IsAck(c.spec.Reply) && errors.As(err, &refusal) && dialect.BlameOf(refusal) == dialect.BlameForm {
		p.understood(c.spec.Type, notation.Ignored)
		c.logIgnored(err)
		return nil, nil, c.ignored()
	}
	return reply, warnings, err
}

// inProfile returns an answer in the node's profile. An authenticated answer and one for an MCP client stay as they
// are.
func (s *responder) inProfile(from From, req request, answer []byte) []byte {
	if s.Profile == nil || req.auth != nil || req.bare || from.counted {
		return answer
	}
	return s.Profile.Answer(req.spec.Type, answer)
}
