package config

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// A key without its default in the file that a new root gets fails here. A league's file leaves out the keys that are
// rarely set.
func TestDefaultFilesHaveEveryKey(t *testing.T) {
	t.Parallel()
	for name, shape := range map[string]reflect.Type{
		"system": reflect.TypeFor[System](), "referee": reflect.TypeFor[RefereeDefaults](), "player": reflect.TypeFor[PlayerDefaults](),
	} {
		var document any
		if err := json.Unmarshal(embedded(name), &document); err != nil {
			t.Fatal(err)
		}
		for key := range keysOf(shape) {
			if !strings.Contains(key, "[]") && !has(document, key) {
				t.Errorf("defaults/%s.json has no %s", name, key)
			}
		}
	}
}

// has reports whether a document has a value at a path.
func has(document any, path string) bool {
	for name := range strings.SplitSeq(path, ".") {
		object, _ := document.(map[string]any)
		value, ok := object[name]
		if !ok {
			return false
		}
		document = value
	}
	return true
}
