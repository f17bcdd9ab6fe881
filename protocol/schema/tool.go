package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"agentleague/protocol"
)

// Arguments returns the schema of a message as the arguments of an MCP tool. It requires the members without which the
// message cannot be handled and, if strict, the envelope. Further members are allowed.
func Arguments(t protocol.Type, strict bool) json.RawMessage {
	spec, _ := protocol.Lookup(t)
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
	out := objectSchema(bodyOf(spec), slices.Sorted(maps.Keys(required)))
	if !strict && (spec.From == "agent" || spec.From == "admin" || t.Registers()) { // a model may be the caller
		out.Properties = slices.DeleteFunc(out.Properties, func(p property) bool { return dispensable(spec, p.name) })
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

// dispensable reports whether the schema of a tool omits a member: one of the header, an id that the message does not
// require, or the name of the query, which the name of the tool implies.
func dispensable(s protocol.Spec, name string) bool {
	if strings.HasSuffix(name, "_id") && envelopeTexts[name] != "" && name != "league_id" && name != "conversation_id" {
		return !slices.Contains(s.Required, name)
	}
	if name == "query_type" && !slices.Contains(s.Needs, name) {
		return true
	}
	return slices.Contains(strings.Fields(header), name)
}

// Result returns the schema of a message as the result of an MCP tool.
func Result(t protocol.Type) json.RawMessage {
	spec, _ := protocol.Lookup(t)
	return objectSchema(bodyOf(spec), []string{"message_type"}).ofTool(t)
}

// ofTool returns the schema of the message t, rewritten for a tool, as JSON.
func (s *schema) ofTool(t protocol.Type) json.RawMessage {
	for _, p := range s.Properties {
		if p.name == "message_type" {
			*p.schema = schema{Const: string(t), Description: p.schema.Description}
		}
	}
	s.portable()
	text, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	return text
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

// anything returns one schema for each type of a JSON value.
func anything() (out []*schema) {
	for _, kind := range []string{"string", "number", "boolean", "object", "array", "null"} {
		out = append(out, &schema{Type: kind})
	}
	return out
}

// envelopeTexts are the descriptions of the members that all messages share.
var envelopeTexts = map[string]string{
	"protocol":        "May be left out.",
	"message_type":    "May be left out.",
	"sender":          "Who sends the message, such as player:P01. May be left out: the token says it.",
	"timestamp":       "May be left out.",
	"conversation_id": "May be left out.",
	"auth_token":      "The token of the caller, where one is needed. The header Authorization: Bearer does as well.",
	"league_id":       "The league that is meant. May be left out: there is one.",
	"round_id":        "A round, from 1.",
	"match_id":        "A match, such as R1M2: the second of round 1.",
}
