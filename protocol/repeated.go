package protocol

import (
	"bytes"
	"cmp"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// RepeatedKey returns the first member name that occurs twice in one object of
// valid JSON text, at any depth, or "". An empty name that does is shown as "".
func RepeatedKey(text []byte) string {
	if bytes.IndexByte(text, '{') < 0 {
		return ""
	}
	d := decoderOf(text, anyUTF8)
	defer decoders.Put(d)
	_, err := d.ReadValue()
	var wrong *jsontext.SyntacticError
	if errors.As(err, &wrong) && errors.Is(err, jsontext.ErrDuplicateName) {
		return cmp.Or(wrong.JSONPointer.LastToken(), `""`)
	}
	return ""
}
