package protocol

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// unmarshal decodes the message in text, whose members are f. In a reply, members of a wrong type are ignored and
// named in warnings.
func unmarshal(f Fields, spec Spec, text json.RawMessage, reply bool) (m Message, warnings []string, err error) {
	for {
		m = spec.New()
		err := jsonv2.Unmarshal(text, m, loose)
		if err == nil {
			return m, warnings, nil
		}
		path, fault := wrongMember(err, spec.body)
		if path == "" {
			return nil, nil, Errorf(InvalidMessage, "%s", fault)
		}
		if !reply || !f.remove(path) {
			return nil, nil, Errorf(InvalidMessage, "%s", fault).With("field", path)
		}
		warnings = append(warnings, fault)
		text = f.text()
	}
}

// wrongMember returns the path of the member of a value of type t at which decoding failed with err, and describes the
// fault.
func wrongMember(err error, t reflect.Type) (path, fault string) {
	var wrong *jsonv2.SemanticError
	if !errors.As(err, &wrong) {
		return "", Clip(err.Error(), 200)
	}
	path = pathIn(t, wrong.JSONPointer)
	want, got := wrong.GoType, kindNames[wrong.JSONKind]
	if wrong.JSONKind == '0' && wrong.JSONValue != nil {
		got += " " + string(wrong.JSONValue)
	}
	var inner *json.UnmarshalTypeError // of a type that reads itself
	switch {
	case errors.As(wrong.Err, &inner):
		want, got = inner.Type, inner.Value
	case wrong.JSONKind == 0 || want == nil:
		return path, Clip(fmt.Sprintf("%s: %v", path, cmp.Or(wrong.Err, err)), 200)
	}
	return path, fmt.Sprintf("%s: want %s, got %s", path, JSONKind(want), got)
}

// kindNames are the names of JSON values in errors, as encoding/json has them.
var kindNames = map[jsontext.Kind]string{
	'n': "null", 't': "bool", 'f': "bool", '"': "string", '0': "number", '{': "object", '[': "array",
}

// JSONKind returns the JSON kind of a Go type, in words: "a string", "a whole number".
func JSONKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a whole number"
}
