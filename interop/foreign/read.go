package foreign

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// read returns the message in a request that was posted to path at, or the answer that refuses a request in another
// framing or under another name.
func (p Persona) read(at string, body []byte) (call, *answer) {
	var top object
	if json.Unmarshal(body, &top) != nil || top == nil {
		return call{}, p.refuse(nil)
	}
	c := call{id: top["id"]}
	if top = p.undress(top); top == nil {
		return c, p.refuse(c.id)
	}
	if refused := p.checkTop(top); refused != nil {
		return c, refused
	}
	name, message := p.unpack(at, top)
	if c.kind = p.named(name, message.text("message_type")); c.kind == Unknown || message == nil {
		return c, p.refuse(c.id)
	}
	c.message = message
	if p.LongNames && !needsMatch(c.kind) && c.kind != GameError &&
		!strings.HasPrefix(message.text("sender"), "league_manager:") {
		return c, p.failed(c.id, 400, "invalid sender: want league_manager:ID")
	}
	if needsMatch(c.kind) && message.text("match_id") == "" {
		return c, missingField("match_id")
	}
	return c, p.Model.check(c, top.object("data"), p.Framing.plain())
}

// needsMatch reports whether a message of that kind must have a match_id.
func needsMatch(k Kind) bool { return k == Invitation || k == Choice || k == Result }

// checkTop returns a refusal for JSON-RPC members that a strict agent does not accept, and nil otherwise.
func (p Persona) checkTop(top object) *answer {
	if _, text := top["id"].(string); text {
		switch p.IDs {
		case IDNumbers422:
			return Refuse422.answer(nil)
		case IDNumbers500:
			return Refuse500.answer(nil)
		}
	}
	for name := range top {
		if p.StrictTop && !slices.Contains([]string{"jsonrpc", "method", "params", "id"}, name) {
			return extraField(name)
		}
	}
	return nil
}

// unpack returns the name of a request and the message in it. The message is nil for a request in another framing.
func (p Persona) unpack(at string, top object) (name string, message object) {
	method, params := top.text("method"), top.object("params")
	if rpc := top.text("jsonrpc") == "2.0" && method != ""; rpc == p.Framing.plain() {
		return "", nil
	}
	switch p.Framing {
	case FramingC:
		if method != "tools/call" {
			return "", nil
		}
		return params.text("name"), params.object("arguments")
	case FramingD, FramingP:
		if method != p.Framing.carrier() {
			return "", nil
		}
		message = params.object("message")
		return message.text("message_type"), message
	case FramingE:
		data := top.object("data")
		if data == nil {
			return "", nil
		}
		return top.text("message_type"), top.with(data)
	case FramingF:
		return top.text("message_type"), top
	case FramingREST:
		return p.Spelling.read(path.Base(at)), top
	}
	return method, params
}

// carrier returns the method of framings that use one method for all messages.
func (f Framing) carrier() string {
	if f == FramingP {
		return "protocol/message"
	}
	return "handle_message"
}

// named returns the kind that a persona calls by that name. For "notify", the name of all notifications, the message
// type decides.
func (p Persona) named(name, messageType string) Kind {
	if kind := kindOf(messageType); name == "notify" {
		if p.Names[kind] != name {
			return Unknown
		}
		return kind
	}
	for kind, own := range p.Names {
		if own == name {
			return kind
		}
	}
	return Unknown
}
