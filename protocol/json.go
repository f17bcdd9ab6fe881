package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// fields is a JSON object by its members' exact names.
type Fields map[string]json.RawMessage

// has reports whether a dotted path leads to a value that is not null.
func (f Fields) Has(path string) bool {
	name, rest, nested := strings.Cut(path, ".")
	v, ok := f[name]
	if !ok || string(v) == "null" {
		return false
	}
	if !nested {
		return true
	}
	var inner Fields
	return json.Unmarshal(v, &inner) == nil && inner.Has(rest)
}

// text returns the member name if it is a string.
func (f Fields) Text(name string) (string, bool) {
	var s *string
	if json.Unmarshal(f[name], &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}

// object returns the members of the member name, or nil if it is no object.
func (f Fields) Object(name string) (inner Fields) {
	if v, ok := f[name]; !ok || json.Unmarshal(v, &inner) != nil {
		return nil
	}
	return inner
}

// put sets a member to the JSON form of v.
func (f Fields) Put(name string, v any) {
	b, err := json.Marshal(v)
	if err == nil {
		f[name] = b
	}
}

// get returns the value at a dotted path, or nil.
func (f Fields) Get(path string) json.RawMessage {
	name, rest, nested := strings.Cut(path, ".")
	v, ok := f[name]
	if !ok || !nested {
		return v
	}
	var inner Fields
	if json.Unmarshal(v, &inner) != nil {
		return nil
	}
	return inner.Get(rest)
}

// set puts a value at a dotted path, unless something that is no object is in the way.
func (f Fields) Set(path string, v json.RawMessage) {
	name, rest, nested := strings.Cut(path, ".")
	if !nested {
		f[name] = v
		return
	}
	inner := Fields{}
	if old, ok := f[name]; ok && json.Unmarshal(old, &inner) != nil {
		return
	}
	if inner == nil {
		inner = Fields{}
	}
	inner.Set(rest, v)
	f.Put(name, inner)
}

// dropNulls removes the members that are null, at every depth.
func (f Fields) DropNulls() {
	var clean Fields
	if json.Unmarshal(withoutNulls(mustMarshal(f, nil)), &clean) != nil {
		return
	}
	for name := range f {
		delete(f, name)
	}
	for name, v := range clean {
		f[name] = v
	}
}

// memberCache holds, by struct type, the members of its JSON form and their types.
var memberCache sync.Map // reflect.Type to map[string]reflect.Type

func membersOf(t reflect.Type) map[string]reflect.Type {
	if m, ok := memberCache.Load(t); ok {
		return m.(map[string]reflect.Type)
	}
	members := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		if name := jsonName(f); name != "" {
			members[name] = f.Type
		}
	}
	memberCache.Store(t, members)
	return members
}

// jsonName returns the name of a field's member, or "" if it has none.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if !f.IsExported() || f.Anonymous || name == "-" {
		return ""
	}
	return name
}

// spelt reports whether t has every member of the JSON object text, at every
// depth, by its exact name. It is what keepKnown need not do.
func spelt(text []byte, t reflect.Type) bool {
	s := scanner{text: text}
	return s.known(t)
}

func (s *scanner) known(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch c := s.space(); {
	case c == '{' && t.Kind() == reflect.Struct:
		members := membersOf(t)
		for s.at++; s.space() != '}' && s.at < len(s.text); {
			name := s.str()
			member, ok := members[string(name[1:len(name)-1])]
			if !ok || !s.known(member) {
				return false
			}
		}
		s.at++
	case c == '[' && t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		for s.at++; s.space() != ']' && s.at < len(s.text); {
			if !s.known(t.Elem()) {
				return false
			}
		}
		s.at++
	default:
		s.skip()
	}
	return true
}

// keepKnown removes from f, at every depth, the members that t does not have,
// and reports whether there were any. Names are case-sensitive, but
// encoding/json would take a "Match_ID" for a match_id.
func keepKnown(f Fields, t reflect.Type) (removed bool) {
	members := membersOf(t)
	for name, v := range f {
		member, known := members[name]
		if !known {
			delete(f, name)
			removed = true
			continue
		}
		if cleaned, changed := cleanValue(v, member); changed {
			f[name] = cleaned
			removed = true
		}
	}
	return removed
}

// cleanValue is keepKnown for a value of type t, whatever its kind.
func cleanValue(v json.RawMessage, t reflect.Type) (cleaned json.RawMessage, changed bool) {
	switch {
	case t.Kind() == reflect.Pointer:
		return cleanValue(v, t.Elem())
	case t.Kind() == reflect.Struct:
		var f Fields
		if json.Unmarshal(v, &f) != nil || !keepKnown(f, t) {
			return v, false
		}
		return mustMarshal(f, v), true
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		var list []json.RawMessage
		if json.Unmarshal(v, &list) != nil {
			return v, false
		}
		for i := range list {
			var one bool
			list[i], one = cleanValue(list[i], t.Elem())
			changed = changed || one
		}
		if changed {
			v = mustMarshal(list, v)
		}
	}
	return v, changed
}

// unmarshal makes the message that f holds. In a reply, members of a wrong type
// are left out and named in warnings: what was answered counts, not how it is
// dressed. Plain is f as it came, if nothing in it was changed.
func unmarshal(f Fields, spec Spec, plain json.RawMessage, reply bool) (m Message, warnings []string, err error) {
	for {
		text := plain
		if plain, m = nil, spec.New(); text == nil {
			text = mustMarshal(f, nil)
		}
		err := json.Unmarshal(text, m)
		if err == nil {
			return m, warnings, nil
		}
		var wrong *json.UnmarshalTypeError
		if !errors.As(err, &wrong) {
			return nil, nil, Errorf(InvalidMessage, "%s", Clip(err.Error(), 200))
		}
		path := memberPath(wrong.Field)
		what := fmt.Sprintf("%s: want %s, got %s", path, jsonKind(wrong.Type), wrong.Value)
		if !reply || !f.remove(path) {
			return nil, nil, Errorf(InvalidMessage, "%s", what).With("field", path)
		}
		warnings = append(warnings, what)
	}
}

// remove deletes the member at a dotted path, or the first on the way to it
// that is no object, and reports whether there was any.
func (f Fields) remove(path string) bool {
	name, rest, nested := strings.Cut(path, ".")
	v, there := f[name]
	var inner Fields
	if nested && json.Unmarshal(v, &inner) == nil && inner.remove(rest) {
		f.Put(name, inner)
		return true
	}
	delete(f, name)
	return there
}

// memberPath strips the names of embedded structs from a path that
// encoding/json reports. They begin with a capital, which no member of ours does.
func memberPath(path string) string {
	parts := slices.DeleteFunc(strings.Split(path, "."), func(name string) bool {
		return name != "" && name[0] <= 'Z'
	})
	return strings.Join(parts, ".")
}

// jsonKind names the JSON type that a Go type is written as.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a whole number"
}
