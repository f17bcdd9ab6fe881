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
