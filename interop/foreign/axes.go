package foreign

import (
	"slices"
	"strings"
	"unicode"
)

// A Body is the position of a message in its carrier: the params, the arguments of a tool, or the HTTP body.
type Body string

// The positions of a body. An agent reads only one of them.
const (
	BodyOwn     Body = ""        // the framing's own place
	BodyFlat    Body = "flat"    // in params themselves, under one method for all
	BodyMessage Body = "message" // in a member of the carrier, and nothing beside it
	BodyData    Body = "data"
	BodyPayload Body = "payload"
	BodyParams  Body = "params"
	BodyRequest Body = "request"
	BodySplit   Body = "split"  // the envelope in the carrier, the rest under data
	BodyBeside  Body = "beside" // under data instead of params
)

// held reports whether the whole message lies in one member of its carrier.
func (b Body) held() bool {
	return slices.Contains([]Body{BodyMessage, BodyData, BodyPayload, BodyParams, BodyRequest}, b)
}

// A Spelling is the naming convention of methods, tools and paths.
type Spelling string

// The spellings of game_invitation.
const (
	SpellSnake  Spelling = ""       // game_invitation
	SpellCamel  Spelling = "camel"  // gameInvitation
	SpellPascal Spelling = "pascal" // GameInvitation
	SpellKebab  Spelling = "kebab"  // game-invitation
)

// write converts a name from snake case to spelling s. Message types, in upper case, stay unchanged.
func (s Spelling) write(name string) string {
	if name == strings.ToUpper(name) {
		return name
	}
	words := strings.Split(name, "_")
	switch s {
	case SpellKebab:
		return strings.Join(words, "-")
	case SpellSnake:
		return name
	}
	for i, word := range words {
		if word != "" && (i > 0 || s == SpellPascal) {
			words[i] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}

// read converts a name from spelling s to snake case. It returns "" if the name has another spelling.
func (s Spelling) read(spelt string) string {
	var b strings.Builder
	for i, r := range spelt {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	name := strings.ReplaceAll(b.String(), "-", "_")
	if s.write(name) != spelt {
		return ""
	}
	return name
}

// respelt returns a value with all its member names converted by name, at every depth. Members that begin with a
// capital letter are ids and stay unchanged.
func respelt(v any, name func(string) string) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = respelt(v[i], name)
		}
		return out
	case []string:
		return v
	case object:
		return object(respelt(map[string]any(v), name).(map[string]any))
	case map[string]any:
		out := map[string]any{}
		for member, inner := range v {
			if member != "" && !unicode.IsUpper(rune(member[0])) {
				member = name(member)
			}
			out[member] = respelt(inner, name)
		}
		return out
	}
	return v
}
