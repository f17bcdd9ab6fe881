package protocol

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// Messages without a plan are read by package json/v2, with the meaning that encoding/json gives to values and with
// exact names: encoding/json would take a "Match_ID" for a match_id.
var (
	anyUTF8 = jsontext.AllowInvalidUTF8(true) // as encoding/json does, which replaces invalid bytes
	lenient = jsonv2.JoinOptions(anyUTF8, jsontext.AllowDuplicateNames(true))
	exact   = jsonv2.JoinOptions(jsonv1.DefaultOptionsV1(), jsonv2.MatchCaseInsensitiveNames(false),
		jsonv1.ReportErrorsWithLegacySemantics(false), anyUTF8)
	loose  = jsonv2.JoinOptions(exact, jsontext.AllowDuplicateNames(true))
	strict = jsonv2.JoinOptions(exact, jsontext.AllowDuplicateNames(false), jsonv2.RejectUnknownMembers(true))

	// emptyLists writes as encoding/json does, but nil lists and objects as empty ones.
	emptyLists = jsonv2.JoinOptions(jsonv1.DefaultOptionsV1(), jsonv2.FormatNilSliceAsNull(false),
		jsonv2.FormatNilMapAsNull(false))
)

// A decoder reads JSON tokens from a byte slice.
type decoder struct {
	jsontext.Decoder
	in bytes.Buffer
}

// decoders is a pool, since creating a decoder costs more than decoding a short text.
var decoders = sync.Pool{New: func() any { return new(decoder) }}

// decoderOf returns a pooled decoder that reads the JSON in text and never modifies it.
func decoderOf(text []byte, o jsonv2.Options) *decoder {
	d := decoders.Get().(*decoder)
	d.in = *bytes.NewBuffer(text)
	d.Reset(&d.in, o)
	return d
}

// eachMember calls member for each member of a JSON object, in the order of the text. The values share the memory of
// the text. It returns false if the text is not one valid JSON object.
func eachMember(text []byte, member func(name string, value json.RawMessage)) bool {
	d := decoderOf(text, lenient)
	defer decoders.Put(d)
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return false
	}
	for d.PeekKind() != '}' {
		t, err := d.ReadToken()
		if err != nil {
			return false
		}
		name := t.String()
		value, err := d.ReadValue()
		if err != nil {
			return false
		}
		end := int(d.InputOffset())
		member(name, text[end-len(value):end:end])
	}
	_, closed := d.ReadToken()
	_, ended := d.ReadToken()
	return closed == nil && ended == io.EOF
}

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
