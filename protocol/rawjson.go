package protocol

import (
	"encoding/json"
	"reflect"
)

// rawMessage is the type of JSON that is kept as it came.
var rawMessage = reflect.TypeFor[json.RawMessage]()

// mustMarshal writes v, which was made of valid JSON, and falls back to what there was.
func mustMarshal(v any, otherwise json.RawMessage) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return otherwise
	}
	return b
}

// appendText adds a text to b as a JSON string.
func appendText(b []byte, text string) ([]byte, bool) {
	if ownJSON(text) {
		return append(append(append(b, '"'), text...), '"'), true
	}
	quoted, err := json.Marshal(text)
	return append(b, quoted...), err == nil
}

// ownJSON reports whether a text stands in JSON as it is.
func ownJSON[T string | []byte](text T) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}
