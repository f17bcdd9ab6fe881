// Package schema derives JSON Schemas (draft 2020-12) from the messages of league.v2.
//
//	protocol.Spec + struct of the message ─▶ Message: documentation, validation
//	                                      └▶ Arguments, Result: the tool of an MCP server
package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"agentleague/protocol"
)

// Message returns the indented schema of a message type: its members, and which of them the specification requires.
// Further members are allowed. An unknown type is an error.
func Message(t protocol.Type) ([]byte, error) {
	spec, ok := protocol.Lookup(t)
	if !ok {
		return nil, fmt.Errorf("schema: no message is called %q", protocol.Clip(string(t), 60))
	}
	s := objectSchema(bodyOf(spec), append(strings.Fields(header), spec.Required...))
	s.Schema, s.ID = "https://json-schema.org/draft/2020-12/schema", "urn:"+protocol.Version+":"+string(t)
	s.Title, s.Description = string(t), describe(spec)
	for _, p := range s.Properties {
		if p.name == "message_type" {
			*p.schema = schema{Const: string(t)}
		}
	}
	b, err := json.MarshalIndent(s, "", "  ")
	return append(b, '\n'), err
}

// bodyOf returns the struct of a message.
func bodyOf(s protocol.Spec) reflect.Type { return reflect.TypeOf(s.New()).Elem() }

// A schema is a JSON Schema with the keywords that the messages need.
type schema struct {
	Schema               string     `json:"$schema,omitempty"`
	ID                   string     `json:"$id,omitempty"`
	Title                string     `json:"title,omitempty"`
	Description          string     `json:"description,omitempty"`
	Type                 any        `json:"type,omitempty"` // a name, or two when null is allowed
	Const                string     `json:"const,omitempty"`
	Enum                 []string   `json:"enum,omitempty"`
	AnyOf                []*schema  `json:"anyOf,omitempty"`
	Format               string     `json:"format,omitempty"`
	Pattern              string     `json:"pattern,omitempty"`
	Minimum              int        `json:"minimum,omitempty"`
	Items                *schema    `json:"items,omitempty"`
	AdditionalProperties *schema    `json:"additionalProperties,omitempty"`
	Properties           properties `json:"properties,omitempty"`
	Required             []string   `json:"required,omitempty"`
}

// properties are the members of an object in the order of the struct's fields, which a map would lose.
type properties []property

// A property is a member of an object in a schema.
type property struct {
	name   string
	schema *schema
}

// MarshalJSON writes a JSON object whose members keep their order.
func (p properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, one := range p {
		s, err := json.Marshal(one.schema)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%c%q:%s", "{,"[min(i, 1)], one.name, s)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// objectSchema returns the schema of a struct. required has dotted paths of members, such as player_meta.display_name.
func objectSchema(t reflect.Type, required []string) *schema {
	s := &schema{Type: "object"}
	for _, f := range reflect.VisibleFields(t) {
		name := protocol.MemberName(f)
		if name == "" {
			continue
		}
		var inner []string
		for _, path := range required {
			if path == name {
				s.Required = append(s.Required, name)
			}
			if rest, ok := strings.CutPrefix(path, name+"."); ok {
				inner = append(inner, rest)
			}
		}
		s.Properties = append(s.Properties, property{name, fieldSchema(f, inner)})
	}
	return s
}

// fieldSchema returns the schema of a member, from the type and the tags of its field.
func fieldSchema(f reflect.StructField, required []string) *schema {
	s := typeSchema(f.Type, required)
	switch f.Tag.Get("schema") {
	case "Usage": // a json.RawMessage in the struct, so that a malformed value does not make the message invalid
		s = objectSchema(reflect.TypeFor[protocol.Usage](), nil)
	case "Query":
		for _, q := range protocol.Queries() {
			s.Enum = append(s.Enum, q.Name)
		}
	}
	if words := f.Tag.Get("enum"); words != "" {
		s.Type, s.Enum = "string", strings.Split(words, "|")
	}
	if s.Format = f.Tag.Get("format"); s.Format == "date-time" {
		s.Pattern = `(Z|[+-]00:00)$`
	}
	if (f.Type.Kind() == reflect.Pointer || protocol.OptionalType(f.Type) != nil) && f.Tag.Get("null") != "no" {
		s.Type = []any{s.Type, "null"}
	}
	return s
}

// typeSchema returns the JSON Schema of a type, with its required members. A value of any type has the empty schema.
func typeSchema(t reflect.Type, required []string) *schema {
	switch {
	case t == reflect.TypeFor[json.RawMessage]() || t.Kind() == reflect.Interface:
		return &schema{}
	case protocol.OptionalType(t) != nil:
		return typeSchema(protocol.OptionalType(t), required)
	case t == reflect.TypeFor[protocol.Round]():
		return &schema{Type: "integer", Minimum: 1}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeSchema(t.Elem(), required)
	case reflect.Struct:
		return objectSchema(t, required)
	case reflect.Slice:
		return &schema{Type: "array", Items: typeSchema(t.Elem(), nil)}
	case reflect.Map:
		return &schema{Type: "object", AdditionalProperties: typeSchema(t.Elem(), nil)}
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Int:
		return &schema{Type: "integer"}
	case reflect.Float64:
		return &schema{Type: "number"}
	}
	return &schema{Type: "string"}
}

// describe returns a sentence on a message's sender, receiver and reply.
func describe(s protocol.Spec) string {
	if s.Reply == "" {
		return fmt.Sprintf("An answer from %s to %s.", s.From, s.To)
	}
	how := ""
	if s.Method != "" {
		how = " with the method " + s.Method
	}
	return fmt.Sprintf("From %s to %s%s; answered by %s within %.0f s.", s.From, s.To, how, s.Reply, s.Deadline.Seconds())
}
