package config

import (
	"bytes"
	"encoding/json"
	"sync"

	"agentleague/protocol"
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
func Document(v any) (doc []byte, err error) {
	err = WithDocument(v, func(text []byte) error {
		doc = bytes.Clone(text)
		return nil
	})
	return doc, err
}

// WithDocument lets use have the document of v, which is as Document returns it and valid until use returns. The
// histories of a crowd are long, and written often: all of them are made in the same memory.
func WithDocument(v any, use func(text []byte) error) error {
	d := drafts.Get().(*draft)
	defer d.giveBack()
	if err := d.write(v); err != nil {
		return err
	}
	d.indented = appendIndented(d.indented[:0], d.line)
	return use(d.indented)
}

// A draft is a document that is being made.
type draft struct{ line, indented []byte }

var drafts = sync.Pool{New: func() any { return new(draft) }}

// maxDraft is how many bytes of a document may be kept for the next one.
const maxDraft = 1 << 20

// giveBack lets the next document have the memory of this one.
func (d *draft) giveBack() {
	if cap(d.indented) <= maxDraft {
		drafts.Put(d)
	}
}

// write writes v as a line, with its end. A struct that package protocol can make a plan of is written by that, which
// takes less than half the time of encoding/json. The plan escapes HTML characters, as \u003c; text with such an
// escape is rewritten without.
func (d *draft) write(v any) (err error) {
	d.line, err = protocol.MarshalAppend(d.line[:0], v)
	if err == nil && !bytes.Contains(d.line, []byte(`\u`)) {
		d.line = append(d.line, '\n')
		return nil
	}
	b := bytes.NewBuffer(d.line[:0])
	err = encode(b, v)
	d.line = b.Bytes()
	return err
}

// encode writes v in one line, with <, > and & as they are.
func encode(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
