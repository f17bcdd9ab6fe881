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

// types is the type of a schema: a name, or a list of them.
type types []string

// UnmarshalJSON reads a name or a list of names, and ignores all else.
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

// parseSchema reads a schema part by part: one unreadable part does not spoil the others.
func parseSchema(raw json.RawMessage) (s schema) {
	f, _ := protocol.ParseFields(raw)
	for name, into := range map[string]any{
		"type": &s.Type, "properties": &s.Properties, "required": &s.Required, "additionalProperties": &s.Additional,
		"enum": &s.Enum, "const": &s.Const, "default": &s.Default, "$ref": &s.Ref, "anyOf": &s.AnyOf, "oneOf": &s.OneOf,
		"allOf": &s.AllOf, "$defs": &s.Defs, "definitions": &s.OldDefs,
	} {
		if v, ok := f[name]; ok {
			_ = json.Unmarshal(v, into)
		}
	}
	return s
}

// wanted returns the type that a value is to have; "": any.
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

// open reports whether an object may have any members, and none is named.
func (s schema) open() bool {
	return len(s.Properties) == 0 && (s.Properties == nil || isTrue(s.Additional)) && string(s.Additional) != "false"
}

// isTrue reports whether a schema lets everything pass.
func isTrue(raw json.RawMessage) bool { return string(raw) == "true" || string(raw) == "{}" }

// requires reports whether a member has to be there.
func (s schema) requires(name string) bool { return slices.Contains(s.Required, name) }

// maxRefs limits the steps of resolving a schema.
const maxRefs = 8

// resolved returns the schema that another one leads to, by references into root and by alternatives, of which the
// first counts that is not null.
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

// leadsTo returns the schema that stands for this one, or nil if it stands for itself.
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
