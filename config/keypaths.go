package config

import (
	"reflect"
	"regexp"
	"strings"
)

// keysOf returns the keys of a document by path, such as timeouts.move_timeout_sec or players[].active. The value is
// true for a key that may contain any other keys, such as a map.
func keysOf(document reflect.Type) map[string]bool {
	keys := map[string]bool{}
	addKeys(keys, "", document)
	return keys
}

// addKeys adds the keys of a type at path to keys. Elements of a list have the path suffix [].
func addKeys(keys map[string]bool, path string, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer:
		addKeys(keys, path, t.Elem())
	case reflect.Slice, reflect.Array:
		keys[path+"[]"] = false
		addKeys(keys, path+"[]", t.Elem())
	case reflect.Map:
		keys[path] = true
	case reflect.Struct:
		for f := range t.Fields() {
			if f.Tag.Get("config") == "-" { // only in the documents of data/
				continue
			}
			inner := member(path, jsonName(f))
			keys[inner] = false
			addKeys(keys, inner, f.Type)
		}
	}
}

// jsonName returns the JSON name of a field.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// index matches a list index in a path.
var index = regexp.MustCompile(`\[\d+\]`)

// anyIndex returns a path with [] in place of every index.
func anyIndex(path string) string { return index.ReplaceAllString(path, "[]") }

// parent returns the path around a path.
func parent(path string) string { return path[:max(0, strings.LastIndexAny(path, ".["))] }

// last returns the name at the end of a path.
func last(path string) string { return strings.TrimLeft(path[len(parent(path)):], ".") }
