package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"agentleague/protocol"
)

// A schema is the used part of a JSON Schema.
type schema struct {
	Type       types                      `json:"type"`
	Properties map[string]json.RawMessage `json:"properties"` // some are schemas, some are true
	Required   []string                   `json:"required"`
	Additional json.RawMessage            `json:"additionalProperties"`
	Items      json.RawMessage            `json:"items"`
	Enum       []json.RawMessage          `json:"enum"`
	Const      json.RawMessage            `json:"const"`
	Default    json.RawMessage            `json:"default"`
	Ref        string                     `json:"$ref"`
	AnyOf      []json.RawMessage          `json:"anyOf"`
	OneOf      []json.RawMessage          `json:"oneOf"`
	AllOf      []json.RawMessage          `json:"allOf"`
	Defs       map[string]json.RawMessage `json:"$defs"`
	OldDefs    map[string]json.RawMessage `json:"definitions"`
}

// types holds the type member of a schema, which is one name or a list.
type types []string

// UnmarshalJSON accepts one name or a list of names and ignores anything else.
func (t *types) UnmarshalJSON(raw []byte) error {
	var one string
	var several []string
	switch {
	case json.Unmarshal(raw, &one) == nil:
		*t = types{one}
	case json.Unmarshal(raw, &several) == nil:
		*t = several
	}
	return nil
}

// parseSchema decodes each member of a schema separately, so that one invalid member does not affect the others.
func parseSchema(raw json.RawMessage) (s schema) {
	f, _ := protocol.ParseFields(raw)
	for name, into := range map[string]any{
		"type": &s.Type, "properties": &s.Properties, "required": &s.Required, "additionalProperties": &s.Additional,
		"items": &s.Items, "enum": &s.Enum, "const": &s.Const, "default": &s.Default, "$ref": &s.Ref, "anyOf": &s.AnyOf, "oneOf": &s.OneOf,
		"allOf": &s.AllOf, "$defs": &s.Defs, "definitions": &s.OldDefs,
	} {
		if v, ok := f[name]; ok {
			_ = json.Unmarshal(v, into)
		}
	}
	return s
}

// wanted returns the type that the schema requires; "" for any.
func (s schema) wanted() string {
	for _, t := range s.Type {
		if t != "null" {
			return t
		}
	}
	if len(s.Properties) > 0 {
		return "object"
	}
	return ""
}

// open reports whether a schema names no member of an object and allows any.
func (s schema) open() bool {
	return len(s.Properties) == 0 && (s.Properties == nil || isTrue(s.Additional)) && string(s.Additional) != "false"
}

// isTrue reports whether a schema accepts every value.
func isTrue(raw json.RawMessage) bool { return string(raw) == "true" || string(raw) == "{}" }

// requires reports whether the schema requires a member.
func (s schema) requires(name string) bool { return slices.Contains(s.Required, name) }

// maxRefs limits the number of references followed in a schema.
const maxRefs = 8

// resolved parses a schema and follows its references into root and its alternatives. Of several alternatives it
// takes the first that is not null.
func resolved(raw json.RawMessage, root schema) schema {
	s := parseSchema(raw)
	for range maxRefs {
		next := s.leadsTo(root)
		if next == nil {
			break
		}
		inner := parseSchema(next)
		if inner.Default == nil {
			inner.Default = s.Default
		}
		s = inner
	}
	return s
}

// leadsTo returns the schema that s refers to, or nil if s is not a reference.
func (s schema) leadsTo(root schema) json.RawMessage {
	if s.Ref != "" {
		return root.definition(s.Ref)
	}
	if len(s.Properties) > 0 || len(s.Type) > 0 {
		return nil
	}
	for _, alternative := range slices.Concat(s.AllOf, s.AnyOf, s.OneOf) {
		if t := parseSchema(alternative); !slices.Equal(t.Type, types{"null"}) {
			return alternative
		}
	}
	return nil
}

// definition resolves a reference such as #/$defs/Call.
func (s schema) definition(ref string) json.RawMessage {
	if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok {
		return s.Defs[name]
	}
	if name, ok := strings.CutPrefix(ref, "#/definitions/"); ok {
		return s.OldDefs[name]
	}
	return nil
}
