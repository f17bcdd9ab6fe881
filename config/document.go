package config

import (
	"bytes"
	"encoding/json"
	"sync"
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
	var b bytes.Buffer
	err := encode(&b, []T(l))
	return b.Bytes(), err
}

// Document returns v as it stands in a file: indented, one newline at the end, and <, > and & as they are.
func Document(v any) ([]byte, error) {
	b := compact.Get().(*bytes.Buffer)
	defer compact.Put(b)
	b.Reset()
	if err := encode(b, v); err != nil {
		return nil, err
	}
	return appendIndented(make([]byte, 0, 2*b.Len()), b.Bytes()), nil
}

// compact are for documents before they are indented: a crowd's histories are written often.
var compact = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// encode writes v in one line, with <, > and & as they are.
func encode(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
