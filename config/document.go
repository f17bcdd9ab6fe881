package config

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"

	"agentleague/protocol"
)

// SchemaVersion is the version of all documents of a data directory, in config/ and in data/.
const SchemaVersion = "1.0.0"

// A List is a slice that is encoded as [] and not as null when it is nil.
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

// Document returns v as the text of a file: indented JSON with a final newline, and without escapes for <, > and &.
func Document(v any) (doc []byte, err error) {
	d := drafts.Get().(*draft)
	defer d.giveBack()
	if err := d.write(v); err != nil {
		return nil, err
	}
	return appendIndented(make([]byte, 0, 2*len(d.line)), d.line), nil
}

// WithDocument calls use with the text that Document returns. The text is valid until use returns: its memory is
// pooled, because the long histories of many players are written often.
func WithDocument(v any, use func(text []byte) error) error {
	d := drafts.Get().(*draft)
	defer d.giveBack()
	if err := d.write(v); err != nil {
		return err
	}
	d.indented = appendIndented(slices.Grow(d.indented[:0], 2*len(d.line)), d.line)
	return use(d.indented)
}

// A draft is a document that is being made.
type draft struct{ line, indented []byte }

var drafts = sync.Pool{New: func() any { return new(draft) }}

// maxDraft is the maximum size of a pooled buffer, in bytes.
const maxDraft = 1 << 20

// giveBack returns the buffers to the pool unless they are too large.
func (d *draft) giveBack() {
	if max(cap(d.line), cap(d.indented)) <= maxDraft {
		drafts.Put(d)
	}
}

// write encodes v as one line of JSON. It first uses the encoder of package protocol, which is twice as fast as
// encoding/json. That encoder escapes HTML characters as \u003c, so text with such an escape is encoded again without.
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

// encode encodes v as one line of JSON without escapes for <, > and &.
func encode(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
