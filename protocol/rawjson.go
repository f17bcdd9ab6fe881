package protocol

import (
	"encoding/json"
	"reflect"
	"strings"
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
