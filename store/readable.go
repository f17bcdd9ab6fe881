package store

import (
	"bytes"
	"encoding/json"
)

// Readable formats a record with one member, or one element of a list, per line. [FromReadable] restores the exact
// bytes, which the record's hash covers. A document that could not be restored exactly is returned unchanged.
func Readable(document []byte) []byte {
	out := make([]byte, 0, len(document)+len(document)/16)
	depth, text, list := 0, false, false // list: in a list that is a member of the record
	for i := 0; i < len(document); i++ {
		c := document[i]
		switch {
		case text && c == '\\' && i+1 < len(document):
			out = append(out, c)
			i++
			c = document[i]
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			if depth++; depth == 1 || depth == 2 && c == '[' {
				list = depth == 2
				c = 0
				out = append(out, document[i], '\n')
			}
		case c == '}' || c == ']':
			if depth--; depth == 0 || depth == 1 && list {
				list = false
				out = append(out, '\n')
			}
		case c == ',' && (depth == 1 || depth == 2 && list):
			c = 0
			out = append(out, ',', '\n')
		case c == ':' && depth == 1:
			c = 0
			out = append(out, ':', ' ')
		}
		if c != 0 {
			out = append(out, c)
		}
	}
	out = append(out, '\n')
	if back, err := FromReadable(out); err != nil || !bytes.Equal(back, document) {
		return document
	}
	return out
}

// isReadable reports whether a text is in the form of Readable, rather than in that of a reported record.
func isReadable(text []byte) bool { return bytes.HasPrefix(text, []byte("{\n\"")) }

// FromReadable returns the bytes of a record from its readable form.
func FromReadable(text []byte) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(len(text))
	err := json.Compact(&out, text)
	return out.Bytes(), err
}

// Shown returns the record in a file of data/matches: the text itself, or the original bytes if the text is in the
// form of [Readable].
func Shown(text []byte) ([]byte, error) {
	if isReadable(text) {
		return FromReadable(text)
	}
	return text, nil
}
