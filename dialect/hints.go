package dialect

import (
	"regexp"
	"slices"
	"strings"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// hints lists the encodings that a peer's refusal r of encoding form suggests, by the method and message names in its
// text. Names of missing members are ignored.
func hints(form notation.Form, r *protocol.Refusal, t protocol.Type) (forms []notation.Form) {
	members := missed(r)
	for _, name := range words.FindAllString(wholeOf(r), maxWords) {
		if name == form.Name || name == form.One || name == r.Asked || slices.Contains(members, name) {
			continue
		}
		if f, ok := called(name, form, t); ok {
			forms = append(forms, f)
		}
	}
	return distinct(forms)
}

// bodyHints lists the encodings that follow from the missing members in a refusal: a peer that misses "message" may
// expect the whole message there. Each member is used once per search; a second complaint about it has another cause.
func (s *Search) bodyHints(form notation.Form, r *protocol.Refusal) (forms []notation.Form) {
	for _, member := range missed(r) {
		if s.missed[member] || !slices.Contains(holders, member) || form.Body != "" || form.Apart() || form.Frame == "mcp" {
			continue
		}
		s.missed[member] = true
		other := form
		other.Body = member
		forms = append(forms, other)
		if member == "data" { // it may also be that of a message without JSON-RPC
			name, shape := firstType(s.typ)
			forms = append(forms, notation.Form{Frame: "data", Name: name, Shape: shape, Path: form.Path})
		}
	}
	return forms
}

// words matches possible names in a refusal.
var words = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_./-]{4,60}`)

// called returns the encoding that uses a method or tool name for messages of type t. The peer has mentioned the name
// when it rejected a message in the encoding refused. ok is false if the name does not fit messages of type t.
func called(name string, refused notation.Form, t protocol.Type) (f notation.Form, ok bool) {
	name = strings.TrimRight(name, "./-")
	f = notation.Form{Frame: refused.Frame, Body: refused.Body, One: refused.One, Path: refused.Path}
	switch {
	case IsCarrier(name) && name != "message" && name != mcpCarrier:
		f.Frame, f.Body, f.One = "message", "", name
		if name == carriers[0] {
			f.One = ""
		}
		f.Name, f.Shape = firstType(t)
		return f, true
	case spellingOf(name) == "" || !slices.Contains(TypesNamed(name), t) || refused.Apart() || refused.Frame == "mcp":
		return f, false
	case !byName(f):
		f.Frame, f.Body, f.One = "call", "", ""
	}
	f.Name, f.Shape = name, shapeUnder(name, t)
	return f, true
}

// firstType returns the message_type that is tried first for messages of type t, and its shape.
func firstType(t protocol.Type) (name, shape string) {
	name, shape, _ = strings.Cut(wordingOf(t).types[0], "+")
	return name, shape
}

// shapeUnder returns the shape of a message of type t under a method name; "" for the default shape.
func shapeUnder(name string, t protocol.Type) string {
	for _, known := range wordingOf(t).calls {
		if known, shape, _ := strings.Cut(known, "+"); known == snakeOf(name) {
			return shape
		}
	}
	return ""
}

// envelopeAt returns the position of the envelope in an encoding, as a comparable string. A peer that expects the
// envelope elsewhere refuses all encodings with the same position.
func envelopeAt(f notation.Form) string {
	carrier := map[string]string{"tool": "arguments", "message": "params.message", "protocol": "params.message",
		"bare": "top", "data": "top", "rest": "top", "mcp": "tool"}[f.Frame]
	if f.Body != "" && f.Body != "split" {
		return carrier + "/" + f.Body
	}
	return carrier
}
