package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Schema returns the JSON Schema (draft 2020-12) of the message t, made from
// its struct and its row in the table. Members that neither names are allowed.
func Schema(t Type) ([]byte, error) {
	spec, ok := Lookup(t)
	if !ok {
		return nil, fmt.Errorf("schema: no message is called %q", Clip(string(t), 60))
	}
	s := objectSchema(spec.body, append(strings.Fields(header), spec.Required...))
	s.Schema, s.ID = "https://json-schema.org/draft/2020-12/schema", "urn:"+Version+":"+string(t)
	s.Title, s.Description = string(t), describe(spec)
	for _, p := range s.Properties {
		if p.name == "message_type" {
			*p.schema = schema{Const: string(t)}
		}
	}
	b, err := json.MarshalIndent(s, "", "  ")
	return append(b, '\n'), err
}

// A schema holds the keywords that our messages need.
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

// properties are an object's members in the order of the struct.
type properties []property

// A property is a member of an object in a schema. They are a list, because the order of the document is that of
// the struct.
type property struct {
	name   string
	schema *schema
}

// MarshalJSON writes them as an object without losing their order.
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

// objectSchema describes a struct; required are dotted paths from it.
func objectSchema(t reflect.Type, required []string) *schema {
	s := &schema{Type: "object"}
	for _, f := range reflect.VisibleFields(t) {
		name := jsonName(f)
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

// fieldSchema describes a member by its field's type and tags.
func fieldSchema(f reflect.StructField, required []string) *schema {
	s := typeSchema(f.Type, required)
	switch f.Tag.Get("schema") {
	case "Usage": // it is read apart, so that a wrong one harms nothing
		s = objectSchema(reflect.TypeFor[Usage](), nil)
	case "Query":
		for _, q := range Queries() {
			s.Enum = append(s.Enum, q.Name)
		}
	}
	if words := f.Tag.Get("enum"); words != "" {
		s.Type, s.Enum = "string", strings.Split(words, "|")
	}
	if s.Format = f.Tag.Get("format"); s.Format == "date-time" {
		s.Pattern = `(Z|[+-]00:00)$`
	}
	if (f.Type.Kind() == reflect.Pointer || toldType(f.Type) != nil) && f.Tag.Get("null") != "no" {
		s.Type = []any{s.Type, "null"}
	}
	return s
}

// typeSchema returns the JSON Schema of a type, with its required members. A value of any type has the empty schema.
func typeSchema(t reflect.Type, required []string) *schema {
	switch {
	case t == rawMessage || t.Kind() == reflect.Interface:
		return &schema{}
	case toldType(t) != nil:
		return typeSchema(toldType(t), required)
	case t == reflect.TypeFor[Round]():
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
func describe(s Spec) string {
	if s.Reply == "" {
		return fmt.Sprintf("An answer from %s to %s.", s.From, s.To)
	}
	how := ""
	if s.Method != "" {
		how = " with the method " + s.Method
	}
	return fmt.Sprintf("From %s to %s%s; answered by %s within %.0f s.", s.From, s.To, how, s.Reply, s.Deadline.Seconds())
}
