package protocol

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
)

// A scanner reads JSON text. Its methods return false for text that is invalid or not in plain form.
type scanner struct {
	text string
	at   int
}

// object walks over the members of an object. Each has to read its value.
func (d *scanner) object(member func(name string) bool) bool {
	if !d.punct('{') {
		return false
	}
	if d.punct('}') {
		return true
	}
	for {
		name, ok := d.str()
		if !ok || !d.punct(':') || !member(name) {
			return false
		}
		if d.punct(',') {
			continue
		}
		return d.punct('}')
	}
}

// skipSpace skips insignificant space and returns the new offset.
func (d *scanner) skipSpace() int {
	if d.at < len(d.text) && d.text[d.at] > ' ' { // as it is nearly always
		return d.at
	}
	for d.at < len(d.text) && (d.text[d.at] == ' ' || d.text[d.at] == '\n' || d.text[d.at] == '\t' || d.text[d.at] == '\r') {
		d.at++
	}
	return d.at
}

// end reports whether nothing follows.
func (d *scanner) end() bool { return d.skipSpace() == len(d.text) }

// punct skips the byte c, if it comes next.
func (d *scanner) punct(c byte) bool {
	if d.skipSpace() == len(d.text) || d.text[d.at] != c {
		return false
	}
	d.at++
	return true
}

// eat skips a word, if it comes next.
func (d *scanner) eat(word string) bool {
	if !strings.HasPrefix(d.text[d.skipSpace():], word) {
		return false
	}
	d.at += len(word)
	return true
}

// null skips null, if it comes next.
func (d *scanner) null() bool {
	return d.skipSpace() < len(d.text) && d.text[d.at] == 'n' && d.eat("null")
}

// ends are the bytes at which a plain string in JSON is over, or not plain.
var ends = func() (out [256]bool) {
	for c := range out {
		out[c] = c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf
	}
	return out
}()

// str reads a string.
func (d *scanner) str() (string, bool) {
	start := d.skipSpace() + 1
	if start > len(d.text) || d.text[start-1] != '"' {
		return "", false
	}
	n := start
	for n < len(d.text) && !ends[d.text[n]] {
		n++
	}
	if n < len(d.text) && d.text[n] == '"' {
		d.at = n + 1
		return d.text[start:n], true
	}
	return d.escapedString(start-1, n)
}

// escapedString reads a string with escapes or non-ASCII letters: start is the offset of its opening quote, and the
// letters between it and offset n are plain.
func (d *scanner) escapedString(start, n int) (string, bool) {
	for ; n < len(d.text) && d.text[n] >= ' '; n++ {
		switch d.text[n] {
		case '"':
			d.at = n + 1
			return spell(d.text[start:d.at])
		case '\\':
			n++
		}
	}
	return "", false
}

// spell reads a string that is not plain ASCII.
func spell(quoted string) (string, bool) {
	if text, ok := unslash(quoted[1 : len(quoted)-1]); ok {
		return text, true
	}
	var text string
	ok := utf8.ValidString(quoted) && json.Unmarshal([]byte(quoted), &text) == nil
	return text, ok
}

// unslash reads text that is plain but for quotes and backslashes, as JSON within JSON is. It is not ok for any other.
func unslash(text string) (string, bool) {
	var short [64]byte
	out := short[:0]
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			out = append(out, text[i])
		case ends[c]:
			return "", false
		default:
			out = append(out, c)
		}
	}
	return string(out), true
}

// number reads an integer of at most 18 digits in canonical form.
func (d *scanner) number() (int, bool) {
	at, n := d.skipSpace(), int64(0)
	minus := at < len(d.text) && d.text[at] == '-'
	if minus {
		at++
	}
	digits := at
	for ; at < len(d.text) && '0' <= d.text[at] && d.text[at] <= '9'; at++ {
		n = n*10 + int64(d.text[at]-'0')
	}
	d.at = at
	if at == digits || at > digits+18 || d.text[digits] == '0' && (minus || at > digits+1) {
		return 0, false
	}
	if minus {
		n = -n
	}
	return int(n), int64(int(n)) == n
}

// float reads a number of any kind, as encoding/json does.
func (d *scanner) float() (float64, bool) {
	start := d.skipSpace()
	for d.at < len(d.text) && strings.IndexByte("+-.0123456789eE", d.text[d.at]) >= 0 {
		d.at++
	}
	number := d.text[start:d.at]
	f, err := strconv.ParseFloat(number, 64)
	return f, err == nil && jsontext.Value(shared(number)).IsValid()
}

// scalar skips a string, an integer, true, false or null.
func (d *scanner) scalar() bool {
	if d.null() || d.eat("true") || d.eat("false") {
		return true
	}
	if d.skipSpace() < len(d.text) && d.text[d.at] == '"' {
		_, ok := d.str()
		return ok
	}
	_, ok := d.number()
	return ok
}

// raw reads a value of any kind without duplicate members.
func (d *scanner) raw() (string, bool) {
	start := d.skipSpace()
	if start == len(d.text) {
		return "", false
	}
	if d.text[start] != '{' && d.text[start] != '[' {
		ok := d.scalar()
		return d.text[start:d.at], ok && utf8.ValidString(d.text[start:d.at])
	}
	in := decoderOf(shared(d.text[start:]), anyUTF8)
	defer decoders.Put(in)
	value, err := in.ReadValue()
	d.at = start + int(in.InputOffset())
	return d.text[start:d.at], err == nil && utf8.Valid(value)
}

// shared returns the bytes of a text, without a copy. They must not be written to; appending copies.
func shared(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }
