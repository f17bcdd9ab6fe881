package foreign

import "encoding/json"

// Requests are built and read in the base form of the framing; the persona's values on the other axes are then
// applied, and removed again.

// dress converts a request from the base form of the framing to the persona's form.
func (p Persona) dress(request object) object {
	if !p.axial() {
		return request
	}
	var out object // as it would be read: all objects in it are of one kind
	_ = json.Unmarshal(encode(request), &out)
	if p.Framing.plain() {
		return p.carry(p.inCamel(out))
	}
	params := out.object("params")
	switch p.Framing {
	case FramingC:
		args := p.carry(p.inCamel(params.object("arguments")))
		out["params"] = object{"name": p.Spelling.write(params.text("name")), "arguments": args}
		return out
	case FramingD:
		out["method"], params = orElse(p.One, out.text("method")), params.object("message")
	case FramingB:
	default:
		out["method"] = p.Spelling.write(out.text("method"))
	}
	message := p.inCamel(params)
	if p.Body == BodyBeside {
		delete(out, "params")
		out["data"] = message
		return out
	}
	if p.Framing == FramingD && p.Body == BodyOwn {
		out["params"] = object{"message": message}
		return out
	}
	out["params"] = p.carry(message)
	return out
}

// axial reports whether the persona differs from the base form of its framing on any axis.
func (p Persona) axial() bool {
	return p.Body != BodyOwn || p.One != "" || p.Spelling != SpellSnake || p.Camel
}

// carry returns the carrier of a message, with the message at the persona's position.
func (p Persona) carry(message object) object {
	switch {
	case p.Body.held():
		return object{string(p.Body): message}
	case p.Body != BodySplit:
		return message
	}
	out, data := object{}, object{}
	for name, v := range message {
		switch SpellCamel.write(name) {
		case "protocol", "messageType", "sender", "timestamp", "conversationId", "authToken", "leagueId":
			out[name] = v
		default:
			data[name] = v
		}
	}
	out["data"] = data
	return out
}

// undress converts a request from the persona's form to the base form. It returns nil for a request in another form.
func (p Persona) undress(top object) object {
	if !p.axial() {
		return top
	}
	if p.Framing.plain() {
		return p.fromCamel(p.uncarry(top))
	}
	out := top.with(nil)
	carrier := top.object("params")
	if p.Body == BodyBeside {
		if _, both := top["params"]; both {
			return nil
		}
		carrier = top.object("data")
		delete(out, "data")
	}
	if p.Framing == FramingC {
		args, tool := p.fromCamel(p.uncarry(carrier.object("arguments"))), p.Spelling.read(carrier.text("name"))
		if args == nil || tool == "" {
			return nil
		}
		out["params"] = map[string]any{"name": tool, "arguments": map[string]any(args)}
		return out
	}
	return p.undressMethod(out, carrier)
}

// undressMethod implements undress for requests whose method names the message or is the same for all messages.
func (p Persona) undressMethod(out, carrier object) object {
	method := out.text("method")
	if p.Framing == FramingD && p.Body == BodyOwn {
		carrier = carrier.object("message")
	}
	message := p.fromCamel(p.uncarry(carrier))
	switch {
	case message == nil:
		return nil
	case p.Framing == FramingD && method != orElse(p.One, "handle_message"):
		return nil
	case p.Framing == FramingD:
		out["method"], out["params"] = "handle_message", map[string]any{"message": map[string]any(message)}
		return out
	case p.Framing != FramingB:
		if out["method"] = p.Spelling.read(method); out["method"] == "" {
			return nil
		}
	}
	out["params"] = map[string]any(message)
	return out
}

// uncarry returns the message at the persona's position in a carrier, or nil if there is none.
func (p Persona) uncarry(carrier object) object {
	switch {
	case carrier == nil || p.Body.held() && len(carrier) != 1:
		return nil
	case p.Body.held():
		return carrier.object(string(p.Body))
	case p.Body == BodySplit && carrier.object("data") == nil:
		return nil
	case p.Body == BodySplit:
		return carrier.with(carrier.object("data"))
	}
	return carrier
}

// inCamel converts the members of a message to camel case if the persona uses it.
func (p Persona) inCamel(message object) object {
	if !p.Camel {
		return message
	}
	return respelt(message, SpellCamel.write).(object)
}

// fromCamel converts the members of a message from the persona's spelling to snake case. It returns nil for a message
// in snake case if the persona uses camel case.
func (p Persona) fromCamel(message object) object {
	if !p.Camel || message == nil {
		return message
	}
	if _, ours := message["message_type"]; ours {
		return nil
	}
	return respelt(message, func(member string) string {
		return orElse(SpellCamel.read(member), member)
	}).(object)
}

// Dressed converts a request in the base form of the framing to the persona's form. Tests use it to call the persona.
func (p Persona) Dressed(request []byte) []byte {
	var top object
	if json.Unmarshal(request, &top) != nil {
		return request
	}
	return encode(p.dress(top))
}
