package config

import (
	"bytes"
	"encoding/json"
)

// SchemaVersion is the version of the shape of every document of a root, in config/ and in data/.
const SchemaVersion = "1.0.0"

// A List is written as [] when it is nil, never as null, so that a reader can range over it without a check.
type List[T any] []T

// MarshalJSON writes the list.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return encode([]T(l), "")
}

// Document returns v as it stands in a file: indented, one newline at the end, and <, > and & as they are.
func Document(v any) ([]byte, error) { return encode(v, "  ") }

// encode writes a document as people read it: indented, and with < and & as they are.
func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}
