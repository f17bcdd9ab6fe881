package protocol

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
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
		if name := jsonName(f); name != "" {
			m[name] = f.Type
		}
	}
	memberCache.Store(t, m)
	return m
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
