package protocol

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Fields maps the exact member names of a JSON object to their values. The values are
// valid JSON without surrounding space. They share memory with the decoded text, so
// they may be replaced but not modified.
type Fields map[string]json.RawMessage

// ParseFields returns the members of a JSON object; the last of duplicate members wins. It returns false for any other
// text.
func ParseFields(text []byte) (f Fields, ok bool) {
	f = make(Fields, min(len(text)/32, 24))
	if !eachMember(text, func(name string, value json.RawMessage) { f[name] = value }) {
		return nil, false
	}
	return f, true
}

// fieldsIn returns the members of an object, or nil for any other text.
func fieldsIn(text []byte) Fields {
	f, _ := ParseFields(text)
	return f
}

// memberIn returns the value of one member of a JSON object, as ParseFields would, or nil.
func memberIn(text []byte, name string) (value json.RawMessage) {
	eachMember(text, func(found string, v json.RawMessage) {
		if found == name {
			value = v
		}
	})
	return value
}

// Has reports whether a dotted path leads to a value that is not null.
func (f Fields) Has(path string) bool {
	v, there := f[path]
	if strings.Contains(path, ".") {
		v = f.Get(path)
		there = v != nil
	}
	return there && string(v) != "null"
}

// Text returns the value at a dotted path if it is a string.
func (f Fields) Text(path string) (string, bool) {
	v := f.Get(path)
	if len(v) < 2 || v[0] != '"' {
		return "", false
	}
	text, _ := jsontext.AppendUnquote(nil, v)
	return string(text), true
}

// Object returns the members of the object that is the value of member name, or nil if that is not an object.
func (f Fields) Object(name string) Fields { return fieldsIn(f[name]) }

// Get returns the value at a dotted path, or nil.
func (f Fields) Get(path string) json.RawMessage {
	name, rest, nested := strings.Cut(path, ".")
	v := f[name]
	for nested && v != nil {
		name, rest, nested = strings.Cut(rest, ".")
		v = memberIn(v, name)
	}
	return v
}

// Put sets the member name to v, encoded as JSON.
func (f Fields) Put(name string, v any) {
	b, err := json.Marshal(v)
	if err == nil {
		f[name] = b
	}
}

// Set sets the value at a dotted path and creates objects as needed. It does nothing if the path crosses another value.
func (f Fields) Set(path string, v json.RawMessage) {
	name, rest, nested := strings.Cut(path, ".")
	if !nested {
		f[name] = v
		return
	}
	old, there := f[name]
	inner := fieldsIn(old)
	if inner == nil && there && string(old) != "null" {
		return
	}
	if inner == nil {
		inner = Fields{}
	}
	inner.Set(rest, v)
	f[name] = inner.text()
}

// DropNulls removes all null members at every depth.
func (f Fields) DropNulls() {
	for name, v := range f {
		if f[name] = withoutNulls(v); string(v) == "null" {
			delete(f, name)
		}
	}
}

// remove deletes the member at a dotted path or, if that is missing, the longest beginning of the path that exists. It
// reports whether it deleted a member.
func (f Fields) remove(path string) bool {
	name, rest, nested := strings.Cut(path, ".")
	v, there := f[name]
	if nested {
		if inner := fieldsIn(v); inner != nil && inner.remove(rest) {
			f[name] = inner.text()
			return true
		}
	}
	delete(f, name)
	return there
}

// text encodes the object with its members sorted by name.
func (f Fields) text() json.RawMessage {
	size := 2
	for name, v := range f {
		size += len(name) + len(v) + 8
	}
	b := append(make([]byte, 0, size), '{')
	for i, name := range slices.Sorted(maps.Keys(f)) {
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = appendText(b, name)
		b = append(b, ':')
		if v := f[name]; len(v) > 0 {
			b = append(b, v...)
		} else {
			b = append(b, "null"...)
		}
	}
	return append(b, '}')
}

// withoutNulls removes the members that are null from every object in raw.
func withoutNulls(raw json.RawMessage) json.RawMessage {
	var f Fields
	if json.Unmarshal(raw, &f) == nil && f != nil {
		f.DropNulls()
		return mustMarshal(f, raw)
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && list != nil {
		for i := range list {
			list[i] = withoutNulls(list[i])
		}
		return mustMarshal(list, raw)
	}
	return raw
}
