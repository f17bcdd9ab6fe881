package foreign

import (
	"errors"
	"slices"
)

// Check returns an error if the persona combines traits that exclude each other.
func (p Persona) Check() error {
	for _, rule := range rules {
		if rule.broken(p) {
			return errors.New(rule.why)
		}
	}
	return nil
}

// rules lists the combinations of traits that are impossible.
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
	{"registration: only who has it registers by REST",
		func(p Persona) bool {
			return (p.Registration == RegisterREST) != (p.Framing == FramingG || p.Framing == FramingREST)
		}},
	{"registration: what is told apart by its message type has one when it registers",
		func(p Persona) bool {
			return (p.Framing == FramingD || p.Framing == FramingF) && p.Registration != RegisterFull &&
				p.Registration != RegisterTyped
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
	{"model: only E has data to be terse in, and its members are not nested once more",
		func(p Persona) bool {
			return p.Model == ModelTerse && (p.Framing != FramingE || p.Callback.any()) || p.Model == ModelNested &&
				(p.Framing == FramingE || p.Framing == FramingREST || p.Framing == FramingMCP)
		}},
	{"refuses: who nods at everything has another word for what it took, and says it in the same shape",
		func(p Persona) bool {
			return p.Refuses == RefuseNod && (p.Ack == "ok" || p.Framing == FramingMCP || p.Callback.any())
		}},
	{"serves: an MCP server is where it says, and so is who answers 404 for what it does not know",
		func(p Persona) bool {
			return p.Serves != "" && (p.Framing == FramingMCP || p.Refuses == Refuse404 || p.Refuses == Refuse405)
		}},
	{"ids: MCP has its own rules",
		func(p Persona) bool { return p.Framing == FramingMCP && p.IDs != IDEcho }},
	{"callback: it finds the referee in the announcement of the round",
		func(p Persona) bool { return p.Callback.any() && p.Names[Round] == "" }},
	{"callback: an answer that names neither match nor player cannot be told from others",
		func(p Persona) bool {
			return p.Callback.Join && p.Join == JoinAcceptOnly || p.Callback.Choice && p.Choice == ChoiceAlone
		}},
	{"callback: without conversation and token it has only its id",
		func(p Persona) bool {
			return p.Callback.any() && (p.Callback.Proof == ProofNone || p.Callback.Proof == ProofMatch) && p.Token != TokenNone
		}},
	{"callback: who shows nothing but an id of its own has told that id when it registered: nobody else could know it",
		func(p Persona) bool {
			return p.Callback.any() && (p.Callback.Proof == ProofNone || p.Callback.Proof == ProofMatch) && p.OwnID != "" &&
				p.Registration != RegisterFull && p.Registration != RegisterEnvelope
		}},
	{"callback: the token that proves it is the referee's",
		func(p Persona) bool {
			return p.Callback.any() && p.Callback.Proof == ProofToken && p.Token != TokenReferee
		}},
	{"body: a framing has its own places",
		func(p Persona) bool { return p.Body != BodyOwn && !slices.Contains(bodies(p.Framing), p.Body) }},
	{"body: who does not name the type of its registration does not show that the envelope stays outside",
		func(p Persona) bool {
			return p.Body == BodySplit && p.Registration != RegisterFull && p.Registration != RegisterTyped
		}},
	{"one method: only D has it, and others have names to spell",
		func(p Persona) bool {
			return p.One != "" && p.Framing != FramingD || p.Spelling != SpellSnake && !slices.Contains(spellings(p.Framing),
				p.Spelling)
		}},
	{"spelling: E, P and MCP are spelt as they were met",
		func(p Persona) bool {
			return p.Camel && (p.Framing == FramingE || p.Framing == FramingP || p.Framing == FramingMCP)
		}},
	{"serves: who has a path for each message is where it says, and nods at no other",
		func(p Persona) bool {
			return p.Framing == FramingREST && (p.Serves != "" || p.Refuses != Refuse404 || p.Model != ModelNone)
		}},
	{"callback: a real MCP server answers in its result",
		func(p Persona) bool { return p.Callback.any() && p.Framing == FramingMCP }},
}

// bodies lists the positions that a message can have in a framing, besides the default.
func bodies(f Framing) []Body {
	held := []Body{BodyMessage, BodyData, BodyPayload, BodyParams, BodyRequest}
	switch f {
	case FramingA, FramingAPrime, FramingB:
		return append(held, BodySplit, BodyBeside)
	case FramingC:
		return append(held, BodySplit)
	case FramingD:
		return append(held[1:], BodyFlat, BodySplit, BodyBeside)
	case FramingF, FramingG, FramingREST:
		return held
	}
	return nil
}

// spellings lists the spellings that names can have in a framing, besides the observed one.
func spellings(f Framing) []Spelling {
	switch f {
	case FramingA, FramingAPrime, FramingC:
		return []Spelling{SpellCamel, SpellPascal, SpellKebab}
	case FramingREST:
		return []Spelling{SpellKebab}
	}
	return nil
}
