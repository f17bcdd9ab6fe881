package protocol

import (
	"encoding/json"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// rawMessage is the type of JSON that is kept as it came.
var rawMessage = reflect.TypeFor[json.RawMessage]()

// mustMarshal writes v, which is made of valid JSON, and falls back to otherwise.
func mustMarshal(v any, otherwise json.RawMessage) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return otherwise
	}
	return b
}

// appendText adds a text to b as a JSON string, as encoding/json writes it.
func appendText(b []byte, text string) ([]byte, bool) {
	if ownJSON(text) {
		return append(append(append(b, '"'), text...), '"'), true
	}
	for i := range len(text) { // a move in a proof, which is JSON itself
		if c := text[i]; c != '"' && c != '\\' && !own[c] {
			quoted, err := json.Marshal(text)
			return append(b, quoted...), err == nil
		}
	}
	b = append(b, '"')
	for i := range len(text) {
		if !own[text[i]] {
			b = append(b, '\\')
		}
		b = append(b, text[i])
	}
	return append(b, '"'), true
}

// ownJSON reports whether a text stands in JSON as it is.
func ownJSON[T string | json.RawMessage](text T) bool {
	for i := range len(text) {
		if !own[text[i]] {
			return false
		}
	}
	return true
}

// own are the letters that stand in a string of JSON as they are.
var own = func() (out [256]bool) {
	for c := range out {
		out[c] = c >= ' ' && c <= '~' && !strings.ContainsRune(`"\<>&`, rune(c))
	}
	return out
}()

// tight reports whether text is one JSON value that encoding/json would copy unchanged: valid, without space between
// tokens, and safe within HTML. Like encoding/json it does not check whether strings are UTF-8.
func tight(text []byte) bool {
	if n := len(text); n > 2 && text[0] == '"' && text[n-1] == '"' && ownJSON(json.RawMessage(text[1:n-1])) {
		return true // as most moves are
	}
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\':
			i++
		case c == ' ' && !quoted:
			return false
		case own[c]:
		case c < utf8.RuneSelf, c == 0xe2 && i+2 < len(text) && text[i+1] == 0x80 && text[i+2]|1 == 0xa9: // U+2028, U+2029
			return false
		}
	}
	return jsontext.Value(text).IsValid(lenient)
}
