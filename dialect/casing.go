package dialect

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"agentleague/protocol"
)

// maxDepth limits the depth to which a peer's JSON is searched or converted.
const maxDepth = 4

// A spelling is a naming convention for names of several words, such as camel case.
type spelling string

// The spellings of handle_message: as it is, handleMessage, HandleMessage and handle-message.
const (
	snake  spelling = "snake"
	camel  spelling = "camel"
	pascal spelling = "pascal"
	kebab  spelling = "kebab"
)

// spellingOf returns the spelling of a method or tool name, or "" if the name does not show one.
func spellingOf(name string) spelling {
	upper := strings.IndexFunc(name, unicode.IsUpper)
	lower := strings.IndexFunc(name, unicode.IsLower)
	switch {
	case lower < 0 || strings.ContainsAny(name, "./: "):
		return "" // a message type, or a name of parts
	case strings.Contains(name, "_"):
		return snake
	case strings.Contains(name, "-"):
		return kebab
	case upper == 0:
		return pascal
	case upper > 0:
		return camel
	}
	return ""
}

// write converts a name from snake case to spelling s.
func (s spelling) write(name string) string {
	words := strings.Split(name, "_")
	switch s {
	case kebab:
		return strings.Join(words, "-")
	case camel, pascal:
		for i, word := range words {
			if word != "" && (i > 0 || s == pascal) {
				words[i] = strings.ToUpper(word[:1]) + word[1:]
			}
		}
		return strings.Join(words, "")
	}
	return name
}

// snakeOf converts a name from any spelling to snake case.
func snakeOf(name string) string {
	switch spellingOf(name) {
	case kebab:
		return strings.ReplaceAll(name, "-", "_")
	case camel, pascal:
		var b strings.Builder
		for i, r := range name {
			if unicode.IsUpper(r) && i > 0 {
				b.WriteByte('_')
			}
			b.WriteRune(unicode.ToLower(r))
		}
		return b.String()
	}
	return name
}

// camels maps the known member names of several words from snake case to camel case; snakes is the inverse.
var camels, snakes = map[string]string{}, map[string]string{}

// init fills camels and snakes with every name that occurs in messages. Unknown names are never converted, because
// they could be data.
func init() {
	names := slices.Concat(protocol.MemberNames(), metas, metaParts)
	for _, pair := range metaNames {
		names = append(names, pair[0])
	}
	for _, paths := range otherPaths {
		for _, path := range paths {
			names = append(names, strings.Split(path[0], ".")...)
		}
	}
	for _, name := range names {
		if spelt := camel.write(name); spelt != name && spellingOf(name) == snake {
			camels[name], snakes[spelt] = spelt, name
		}
	}
}

// inSnake converts the camel-case members of an object to snake case at every depth, and reports whether the top level
// had any.
func inSnake(raw json.RawMessage, f fields) (json.RawMessage, fields, bool) {
	for name := range f {
		if snakes[name] != "" {
			raw = respell(raw, snakes, maxDepth)
			f, _ = protocol.ParseFields(raw)
			return raw, f, true
		}
	}
	return raw, f, false
}

// respell renames the members of a value by the map names, down to depth. A member is not renamed if the object
// already has the new name.
func respell(raw json.RawMessage, names map[string]string, depth int) json.RawMessage {
	var list []json.RawMessage
	switch {
	case depth < 0 || len(raw) == 0:
		return raw
	case raw[0] == '[' && json.Unmarshal(raw, &list) == nil:
		for i := range list {
			list[i] = respell(list[i], names, depth-1)
		}
		return marshalOr(list, raw)
	}
	f, ok := protocol.ParseFields(raw)
	if !ok {
		return raw
	}
	out := fields{}
	for name, v := range f {
		if other := names[name]; other != "" && !f.Has(other) {
			name = other
		}
		out[name] = respell(v, names, depth-1)
	}
	return marshalOr(out, raw)
}

// inBoth returns a message with its members in both snake and camel case. An agent that
// writes camel case may still read snake case.
func inBoth(message json.RawMessage) json.RawMessage {
	f, ok := protocol.ParseFields(message)
	theirs, _ := protocol.ParseFields(respell(message, camels, maxDepth))
	if !ok {
		return message
	}
	for name, v := range theirs {
		if !f.Has(name) {
			f[name] = v
		}
	}
	return marshalOr(f, message)
}
