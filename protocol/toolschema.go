package protocol

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// ArgumentsSchema returns the JSON Schema of the message t as the arguments of a tool: it requires the members that
// the message needs to be handled. If strict, it requires the envelope as well. Further members are allowed.
func ArgumentsSchema(t Type, strict bool) json.RawMessage {
	spec, _ := Lookup(t)
	required := map[string]bool{}
	for _, path := range spec.Needs {
		for at := range path + "." { // player_meta.display_name demands player_meta
			if (path + ".")[at] == '.' {
				required[path[:at]] = true
			}
		}
	}
	for _, name := range strings.Fields(header) {
		if strict {
			required[name] = true
		}
	}
	out := objectSchema(spec.body, slices.Sorted(maps.Keys(required)))
	registers := spec.To == manager && (spec.family == playerRegistration || spec.family == refereeRegistration)
	if !strict && (spec.From == agent || spec.From == admin || registers) {
		out.Properties = slices.DeleteFunc(out.Properties, func(p property) bool { return spec.dispensable(p.name) })
	}
	for _, p := range out.Properties {
		if !(required[p.name] && slices.Contains(strings.Fields(header), p.name)) {
			p.schema.Description = envelopeTexts[p.name]
		}
	}
	return out.ofTool(spec.Type)
}

// header lists the members of the envelope that only frame a message.
const header = "protocol message_type sender timestamp conversation_id"

// dispensable reports whether to omit a member from the schema of a tool: members that only frame a message, and
// unrelated ids.
func (s Spec) dispensable(name string) bool {
	if strings.HasSuffix(name, "_id") && envelopeTexts[name] != "" && name != "league_id" && name != "conversation_id" {
		return !slices.Contains(s.Required, name)
	}
	if name == "query_type" && !slices.Contains(s.Needs, name) { // implied by the tool's name
		return true
	}
	return slices.Contains(strings.Fields(header), name)
}

// ResultSchema returns the JSON Schema of the message t as the result of a tool.
func ResultSchema(t Type) json.RawMessage {
	spec, _ := Lookup(t)
	return objectSchema(spec.body, []string{"message_type"}).ofTool(t)
}

// ofTool writes the schema of a message as one of a tool.
func (s *schema) ofTool(t Type) json.RawMessage {
	for _, p := range s.Properties {
		if p.name == "message_type" {
			*p.schema = schema{Const: string(t), Description: p.schema.Description}
		}
	}
	s.portable()
	return mustMarshal(s, json.RawMessage(`{"type":"object"}`))
}

// portable rewrites a schema with one type at each place, for hosts that support only a part of JSON Schema. Nullable
// and untyped members become alternatives.
func (s *schema) portable() {
	for _, p := range s.Properties {
		p.schema.portable()
	}
	for _, inner := range []*schema{s.Items, s.AdditionalProperties} {
		if inner != nil {
			inner.portable()
		}
	}
	types, several := s.Type.([]any)
	switch {
	case several:
		one := *s
		one.Type, one.Description = types[0], ""
		*s = schema{Description: s.Description, AnyOf: []*schema{&one, {Type: "null"}}}
		if one.Type == nil { // anything, null included
			s.AnyOf = anything()
		}
	case s.Type == nil && s.Const == "" && s.AnyOf == nil:
		s.AnyOf = anything()
	}
}

// anything lists all that JSON can be.
func anything() (out []*schema) {
	for _, kind := range []string{"string", "number", "boolean", "object", "array", "null"} {
		out = append(out, &schema{Type: kind})
	}
	return out
}

// envelopeTexts describe the members that all messages share.
var envelopeTexts = map[string]string{
	"protocol":        "May be left out.",
	"message_type":    "May be left out.",
	"sender":          "Who sends the message, such as player:P01. May be left out: the token says it.",
	"timestamp":       "May be left out.",
	"conversation_id": "May be left out.",
	"auth_token":      "The token of whoever calls, where one is needed. The header Authorization: Bearer does as well.",
	"league_id":       "The league that is meant. May be left out: there is one.",
	"round_id":        "A round, from 1.",
	"match_id":        "A match, such as R1M2: the second of round 1.",
}
