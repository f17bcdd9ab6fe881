package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A spelling is how the members of a JSON object are named, compared with those of a struct.
type spelling int

const (
	exact   spelling = iota // the struct has them all
	unknown                 // some it has not, and encoding/json ignores them
	misread                 // some it has not, and encoding/json takes them for others
)

// readable reports whether encoding/json reads a JSON object into a t as it
// should, every member at every depth by its exact name, so that keepKnown need
// not make another text of it.
func readable(text []byte, t reflect.Type) bool {
	s := scanner{text: text}
	switch s.spelling(t) {
	case exact:
		return true
	case unknown:
		return RepeatedKey(text) == "" // of a member that occurs twice the last counts, as in Fields
	}
	return false
}

// spelling skips a value of type t and tells how its members are named.
func (s *scanner) spelling(t reflect.Type) (worst spelling) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch c := s.space(); {
	case c == '{' && t.Kind() == reflect.Struct:
		members := allOf(t)
		for s.at++; s.space() != '}' && s.at < len(s.text) && worst != misread; {
			name := unquoted(s.str())
			if member, known := members.types[string(name)]; known {
				worst = max(worst, s.spelling(member))
				continue
			}
			if worst = unknown; members.resemble(name) {
				worst = misread
			}
			s.next()
		}
		s.at++
	case c == '[' && t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		for s.at++; s.space() != ']' && s.at < len(s.text) && worst != misread; {
			worst = max(worst, s.spelling(t.Elem()))
		}
		s.at++
	default:
		s.skip()
	}
	return worst
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
		f := fieldsIn(v)
		if !keepKnown(f, t) {
			return v, false
		}
		return f.text(), true
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
			text = f.text()
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
		what := fmt.Sprintf("%s: want %s, got %s", path, JSONKind(wrong.Type), wrong.Value)
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
