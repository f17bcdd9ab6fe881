package protocol

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

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
