package protocol

import (
	"encoding/json"
	"strings"
)

// Fields is a JSON object by its members' exact names.
type Fields map[string]json.RawMessage

// Has reports whether a dotted path leads to a value that is not null.
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

// Text returns the member name if it is a string.
func (f Fields) Text(name string) (string, bool) {
	var s *string
	if json.Unmarshal(f[name], &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}

// Object returns the members of the member name, or nil if it is no object.
func (f Fields) Object(name string) (inner Fields) {
	if v, ok := f[name]; !ok || json.Unmarshal(v, &inner) != nil {
		return nil
	}
	return inner
}

// Put sets a member to the JSON form of v.
func (f Fields) Put(name string, v any) {
	b, err := json.Marshal(v)
	if err == nil {
		f[name] = b
	}
}

// Get returns the value at a dotted path, or nil.
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

// Set puts a value at a dotted path, unless something that is no object is in the way.
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

// DropNulls removes the members that are null, at every depth.
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
