package logs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"time"

	"agentleague/protocol"
)

// The limits of the parts of a log line, in bytes of JSON. Together they are less than 64 KiB.
const (
	maxName  = 512
	maxText  = 8 << 10
	maxValue = 32 << 10 // one member of data
	maxData  = 44 << 10
)

// An object is data under construction, in order of insertion. A repeated member replaces the earlier one.
type object []*part

// A part is a member of an object: JSON, or a nested object.
type part struct {
	key   string
	json  []byte
	inner object
}

// add inserts an attribute by the rules of log/slog: groups are objects; a group without a name is inlined, and an
// empty group is ignored.
func (o *object) add(a slog.Attr) {
	v := a.Value.Resolve()
	switch {
	case a.Key == "" && v.Equal(slog.Value{}):
	case v.Kind() != slog.KindGroup:
		p := o.part(a.Key)
		p.json, p.inner = value(a.Key, v), nil
	case len(v.Group()) == 0:
	case a.Key == "":
		o.addAll(v.Group())
	default:
		p := o.part(a.Key)
		p.json = nil
		p.inner.addAll(v.Group())
	}
}

// addAll adds attributes in their order.
func (o *object) addAll(attrs []slog.Attr) {
	for _, a := range attrs {
		o.add(a)
	}
}

// part returns a member, and creates it if it is missing.
func (o *object) part(key string) *part {
	for _, p := range *o {
		if p.key == key {
			return p
		}
	}
	p := &part{key: key}
	*o = append(*o, p)
	return p
}

// json encodes the object in at most limit bytes. It leaves out members that do not fit, and marks the object as
// truncated.
func (o object) json(limit int) []byte {
	const mark = `"truncated":true`
	line := []byte("{")
	dropped := false
	for _, p := range o {
		if p.inner != nil {
			p.json = p.inner.json(maxValue)
		}
		before := len(line)
		line = append(append(appendQuote(separate(line), p.key, maxName), ':'), p.json...)
		if len(line)+len(mark)+len(",}") > limit {
			dropped = true
			line = line[:before]
		}
	}
	if dropped {
		line = append(separate(line), mark...)
	}
	return append(line, '}')
}

// stamped begins a line with the time, in UTC with milliseconds.
func stamped(line []byte, t time.Time) []byte {
	line = append(line, `{"timestamp":"`...)
	seconds := protocol.Stamp(t)
	if len(seconds) != len("2006-01-02T15:04:05Z") { // a year of five digits
		return append(t.UTC().AppendFormat(line, "2006-01-02T15:04:05.000Z"), '"')
	}
	ms := t.Nanosecond() / int(time.Millisecond)
	line = append(line, seconds[:len(seconds)-len("Z")]...)
	return append(line, '.', digit(ms/100), digit(ms/10), digit(ms), 'Z', '"')
}

func digit(n int) byte { return '0' + byte(n%10) }

// field appends a text member to a line.
func field(line []byte, name, text string, limit int) []byte {
	line = append(append(append(separate(line), '"'), name...), `":`...)
	return appendQuote(line, text, limit)
}

// separate appends a comma unless the object is empty.
func separate(line []byte) []byte {
	if len(line) > 0 && line[len(line)-1] == '{' {
		return line
	}
	return append(line, ',')
}

// value encodes the value of an attribute as JSON of at most maxValue bytes. A value without a JSON form becomes a
// string.
func value(key string, v slog.Value) []byte {
	switch v.Kind() {
	case slog.KindString:
		return secret(key, v.String())
	case slog.KindInt64:
		return strconv.AppendInt(nil, v.Int64(), 10)
	case slog.KindUint64:
		return strconv.AppendUint(nil, v.Uint64(), 10)
	case slog.KindBool:
		return strconv.AppendBool(nil, v.Bool())
	case slog.KindDuration:
		return quote(v.Duration().String(), maxName)
	case slog.KindTime:
		return quote(v.Time().UTC().Format(time.RFC3339Nano), maxName)
	}
	return anything(key, v.Any())
}

// anything encodes a value of any type. A panic in the value's methods becomes part of the text: logging must not
// crash the program.
func anything(key string, v any) (text []byte) {
	defer func() {
		if p := recover(); p != nil {
			text = quote(fmt.Sprintf("cannot be shown: %v", p), maxText)
		}
	}()
	if err, ok := v.(error); ok {
		return secret(key, err.Error())
	}
	text, err := unescaped(v)
	if raw, ok := v.(json.RawMessage); ok && err != nil {
		return secret(key, string(raw)) // invalid JSON of a third party
	} else if err != nil {
		return secret(key, fmt.Sprint(v))
	}
	shown := string(protocol.PlainJSON(bytes.TrimSpace(text)))
	if len(shown) <= maxValue {
		shown = redact(shown)
	}
	switch {
	case shown[0] == '"' && secretName(key):
		return secret(key, shown)
	case len(shown) > maxValue:
		return quote(shown, maxValue)
	}
	return []byte(shown)
}

// unescaped encodes v as JSON on one line without escaping <, > and &.
func unescaped(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// secret encodes a text that may be a token.
func secret(key, text string) []byte {
	if secretName(key) {
		text = protocol.Redact(text)
	}
	return quote(text, maxValue)
}

func secretName(key string) bool { return strings.HasSuffix(key, "token") }

var (
	token       = regexp.MustCompile(`tok_[\w-]+`)
	tokenMember = regexp.MustCompile(`("\w*token"\s*:\s*)"(?:[^"\\]|\\.)+"?`) // the end may be cut off
)

// redact redacts the tokens in a text, JSON or not: all tokens of our form, and third-party tokens by the names of
// their members.
func redact(text string) string {
	if !strings.Contains(text, "tok") {
		return text
	}
	text = token.ReplaceAllStringFunc(text, protocol.Redact)
	return tokenMember.ReplaceAllString(text, `${1}"`+protocol.Redact("tok")+`"`)
}

// appendQuote appends a text to a line as quote encodes it.
func appendQuote(line []byte, text string, limit int) []byte {
	if len(text)+2 <= limit && simple(text) {
		return append(append(append(line, '"'), text...), '"')
	}
	return append(line, quote(text, limit)...)
}

// quote encodes a text as a JSON string of at most limit bytes, with tokens redacted, and truncates it if it is
// longer.
func quote(text string, limit int) []byte {
	if len(text)+2 <= limit && simple(text) {
		return appendQuote(make([]byte, 0, len(text)+2), text, limit)
	}
	n := limit - 8                        // room for the quotes and the truncation mark
	text = redact(protocol.Clip(text, n)) // truncation may leave the beginning of a token
	for ; ; n = n * 3 / 4 {
		b, _ := unescaped(protocol.Clip(text, n)) // a string can always be encoded
		if b = protocol.PlainJSON(bytes.TrimSpace(b)); len(b) <= limit {
			return b
		}
	}
}

// simple reports whether a text needs no JSON escape, as most do not, and contains no token.
func simple(text string) bool {
	for i := range len(text) {
		if c := text[i]; !plain[c] && (c != 'k' || i >= 2 && text[i-2:i] == "to") {
			return false
		}
	}
	return true
}

// plain marks the bytes that need no JSON escape and cannot end the prefix of a token, "tok".
var plain = func() (is [256]bool) {
	for c := ' '; c <= '~'; c++ {
		is[c] = c != '"' && c != '\\' && c != 'k'
	}
	return is
}()
