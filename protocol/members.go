package protocol

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// members are the members of a struct's JSON form.
type members struct {
	types map[string]reflect.Type // by name
	lower map[string]bool         // the names in lower case
}

// memberCache holds the members of struct types.
var memberCache sync.Map // reflect.Type to *members

// membersOf returns the members of a struct's JSON form and their types.
func membersOf(t reflect.Type) map[string]reflect.Type { return allOf(t).types }

// allOf are the members of a struct as JSON has them, worked out once for each type.
func allOf(t reflect.Type) *members {
	if m, ok := memberCache.Load(t); ok {
		return m.(*members)
	}
	m := &members{types: map[string]reflect.Type{}, lower: map[string]bool{}}
	for _, f := range reflect.VisibleFields(t) {
		if name := jsonName(f); name != "" {
			m.types[name], m.lower[strings.ToLower(name)] = f.Type, true
		}
	}
	memberCache.Store(t, m)
	return m
}

// resemble reports whether encoding/json would take a name that is not among
// the members for one of them: to it, "Match_ID" is match_id.
func (m *members) resemble(name []byte) bool {
	if unescaped(name) {
		return m.lower[string(name)] || m.lower[strings.ToLower(string(name))]
	}
	for member := range m.types {
		if strings.EqualFold(member, string(name)) { // some letters that are not ASCII fold to ASCII
			return true
		}
	}
	return false
}

// jsonName returns the name of a field's member, or "" if it has none.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if !f.IsExported() || f.Anonymous || name == "-" {
		return ""
	}
	return name
}

// MemberNames lists the names of all members of all messages, at every depth. Keys that are ids are not among them.
func MemberNames() []string {
	names, seen := map[string]bool{}, map[reflect.Type]bool{}
	for _, s := range table {
		nameMembers(s.body, names, seen)
	}
	return slices.Sorted(maps.Keys(names))
}

// nameMembers adds the members of a type, and of what it is made of.
func nameMembers(t reflect.Type, names map[string]bool, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	for name, inner := range membersOf(t) {
		names[name] = true
		nameMembers(inner, names, seen)
	}
}
