package rpc

import (
	"cmp"

	"agentleague/dialect"
	"agentleague/protocol"
	"agentleague/protocol/conform"
)

// broken returns the rules that a request breaks, in strict mode.
func (s *responder) broken(from From, req request) (all []conform.Violation) {
	if !s.IsStrict() {
		return nil
	}
	text := req.Message
	if req.read != nil {
		text = req.read.Head().Source()
	}
	all = conform.Request(text, req.spec.Type, from.Key != "")
	switch method := req.method; {
	case req.spec.Method == "", method == req.spec.Method, method == s.Profile.Method(req.spec.Type):
	case req.bare, dialect.IsCarrier(method), method == "tools/call":
	default:
		all = append(all, conform.OtherMethod(req.spec)...)
	}
	return s.inProfileRules(all)
}

// senderOf returns the agent that sent a request; certain is false if another client could have sent it.
func (s *responder) senderOf(from From, req request) (agent string, certain bool) {
	sender, token := req.Text("sender"), req.Text("auth_token")
	if s.Whose != nil {
		agent, certain = s.Whose(from, sender, token)
	}
	return cmp.Or(agent, protocol.Clip(protocol.Plain(sender), 60), "at "+from.Addr), certain
}
