package protocol

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// memberCache holds the members of struct types.
var memberCache sync.Map // reflect.Type to map[string]reflect.Type

// membersOf returns the members of a struct's JSON form and their types, derived once for each type.
func membersOf(t reflect.Type) map[string]reflect.Type {
	if m, ok := memberCache.Load(t); ok {
		return m.(map[string]reflect.Type)
	}
	m := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		if name := MemberName(f); name != "" {
			m[name] = f.Type
		}
	}
	memberCache.Store(t, m)
	return m
}

// MemberName returns the name of a field's member, or "" if it has none.
func MemberName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if !f.IsExported() || f.Anonymous || name == "-" {
		return ""
	}
	return name
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
