package foreign

import (
	"errors"
	"slices"
)

// Check says which of the persona's traits no one agent can have together.
func (p Persona) Check() error {
	for _, rule := range rules {
		if rule.broken(p) {
			return errors.New(rule.why)
		}
	}
	return nil
}

// rules are what one agent cannot have together.
var rules = []struct {
	why    string
	broken func(p Persona) bool
}{
	{"framing: it takes an invitation, a question and a result, whatever it calls them",
		func(p Persona) bool {
			return p.Names[Invitation] == "" || p.Names[Choice] == "" || p.Names[Result] == ""
		}},
	{"registration: only E registers with envelope and data",
		func(p Persona) bool { return (p.Registration == RegisterEnvelope) != (p.Framing == FramingE) }},
	{"registration: only G registers by REST",
		func(p Persona) bool { return (p.Registration == RegisterREST) != (p.Framing == FramingG) }},
	{"registration: what is told apart by its message type has one when it registers",
		func(p Persona) bool {
			return (p.Framing == FramingD || p.Framing == FramingF) && p.Registration != RegisterFull && p.Registration != RegisterTyped
		}},
	{"reply: without JSON-RPC there is no result",
		func(p Persona) bool {
			return p.Framing.plain() && !slices.Contains([]ReplyShape{ReplyBare, ReplyStatusData}, p.Reply)
		}},
	{"reply: tools answer with a result",
		func(p Persona) bool {
			return p.Framing == FramingC && !slices.Contains([]ReplyShape{ReplyContent, ReplyStructured, ReplyResult}, p.Reply)
		}},
	{"reply: MCP answers with content",
		func(p Persona) bool {
			return p.Framing == FramingMCP && p.Reply != ReplyContent && p.Reply != ReplyStructured
		}},
	{"reply: only tools answer with content",
		func(p Persona) bool {
			return (p.Reply == ReplyContent || p.Reply == ReplyStructured) && p.Framing != FramingC && p.Framing != FramingMCP
		}},
	{"ids: without JSON-RPC there are none, and nothing around a message",
		func(p Persona) bool { return p.Framing.plain() && (p.IDs != IDEcho || p.StrictTop) }},
	{"ids: MCP has its own rules",
		func(p Persona) bool { return p.Framing == FramingMCP && p.IDs != IDEcho }},
	{"callback: it finds the referee in the announcement of the round",
		func(p Persona) bool { return p.Callback.any() && p.Names[Round] == "" }},
	{"callback: an answer that names neither match nor player cannot be told from others",
		func(p Persona) bool {
			return p.Callback.Join && p.Join == JoinAcceptOnly || p.Callback.Choice && p.Choice == ChoiceAlone
		}},
	{"callback: without conversation and token its id must be the one that the referee knows",
		func(p Persona) bool {
			return p.Callback.any() && p.Callback.Proof == ProofNone && (p.OwnID != "" || p.Token != TokenNone)
		}},
	{"callback: the token that proves it is the referee's",
		func(p Persona) bool {
			return p.Callback.any() && p.Callback.Proof == ProofToken && p.Token != TokenReferee
		}},
	{"callback: a real MCP server answers in its result",
		func(p Persona) bool { return p.Callback.any() && p.Framing == FramingMCP }},
}
