package protocol

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// Messages without a plan are read by package json/v2, with the meaning that encoding/json gives to values and with
// exact names: encoding/json would take a "Match_ID" for a match_id.
var (
	anyUTF8 = jsontext.AllowInvalidUTF8(true) // as encoding/json does, which replaces invalid bytes
	lenient = jsonv2.JoinOptions(anyUTF8, jsontext.AllowDuplicateNames(true))
	exact   = jsonv2.JoinOptions(jsonv1.DefaultOptionsV1(), jsonv2.MatchCaseInsensitiveNames(false),
		jsonv1.ReportErrorsWithLegacySemantics(false), anyUTF8)
	loose  = jsonv2.JoinOptions(exact, jsontext.AllowDuplicateNames(true))
	strict = jsonv2.JoinOptions(exact, jsontext.AllowDuplicateNames(false), jsonv2.RejectUnknownMembers(true))
)

// A decoder reads a text that is in memory.
type decoder struct {
	jsontext.Decoder
	in bytes.Buffer
}

// decoders are reused, since reading a short text is cheaper than making one.
var decoders = sync.Pool{New: func() any { return new(decoder) }}

// decoderOf returns a decoder of a text, which it does not write to.
func decoderOf(text []byte, o jsonv2.Options) *decoder {
	d := decoders.Get().(*decoder)
	d.in = *bytes.NewBuffer(text)
	d.Reset(&d.in, o)
	return d
}

// eachMember calls member for each member of a JSON object, in the order of the text. The values share the memory of
// the text. It returns false if the text is not one valid JSON object.
func eachMember(text []byte, member func(name string, value json.RawMessage)) bool {
	d := decoderOf(text, lenient)
	defer decoders.Put(d)
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return false
	}
	for d.PeekKind() != '}' {
		t, err := d.ReadToken()
		if err != nil {
			return false
		}
		name := t.String()
		value, err := d.ReadValue()
		if err != nil {
			return false
		}
		end := int(d.InputOffset())
		member(name, text[end-len(value):end:end])
	}
	_, closed := d.ReadToken()
	_, ended := d.ReadToken()
	return closed == nil && ended == io.EOF
}

// unmarshal makes the message that text holds, which is f. In a reply, members
// of a wrong type are left out and named in warnings: the answer counts, not its form.
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

// wrongMember returns the path of the member of a t that an error of json/v2 is about, and describes the error.
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

// pathIn returns the dotted path of the member at a JSON pointer in a value of type t, without the indexes of lists. In
// a value that reads itself only the last name counts.
func pathIn(t reflect.Type, pointer jsontext.Pointer) string {
	var names []string
	for name := range pointer.Tokens() {
		for t != nil && t.Kind() == reflect.Pointer && !reads(t) {
			t = t.Elem()
		}
		switch {
		case t == nil || reads(t) || t.Kind() == reflect.Interface:
			return strings.Join(append(names, pointer.LastToken()), ".")
		case t.Kind() == reflect.Struct:
			names, t = append(names, name), membersOf(t)[name]
		case t.Kind() == reflect.Map:
			names, t = append(names, name), t.Elem()
		case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
			t = t.Elem()
		}
	}
	return strings.Join(names, ".")
}

// reads reports whether a type reads its JSON form itself.
func reads(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}

// JSONKind says in the words of JSON what a Go type is written as: "a string", "a whole number".
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
