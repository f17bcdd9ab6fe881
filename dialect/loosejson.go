package dialect

import (
	"encoding/json"
	"strings"
)

// structured returns the JSON that a text holds, if it is an object or an
// array: as it is, in a fence of Markdown, or as Python prints a dict.
func structured(text string) (json.RawMessage, bool) {
	text = unfenced(text)
	if text == "" || text[0] != '{' && text[0] != '[' {
		return nil, false
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text), true
	}
	if len(text) > longestText {
		return nil, false
	}
	loose := loosened(text)
	return loose, json.Valid(loose)
}

// unfenced returns what stands between two fences of Markdown, or the text itself.
func unfenced(text string) string {
	inner, fenced := strings.CutPrefix(strings.TrimSpace(text), "```")
	inner, closed := strings.CutSuffix(inner, "```")
	if !fenced || !closed {
		return strings.TrimSpace(text)
	}
	if language, rest, ok := strings.Cut(inner, "\n"); ok && !strings.ContainsAny(language, "{[ ") {
		inner = rest
	}
	return strings.TrimSpace(inner)
}

// loosened writes a Python literal as JSON: quotes are doubled, and True, False
// and None are named as JSON names them. Other text stays what it is.
func loosened(text string) json.RawMessage {
	out := make([]byte, 0, len(text)+16)
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\'' || c == '"':
			end := closing(text, i)
			out = append(out, requoted(text[i+1:end])...)
			i = end + 1
		case isLetter(c):
			end := i
			for end < len(text) && isLetter(text[end]) {
				end++
			}
			out = append(out, literal(text[i:end])...)
			i = end
		default:
			out = append(out, c)
			i++
		}
	}
	return out
}

// closing returns where the string ends that begins at a quote.
func closing(text string, at int) int {
	for i := at + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[at]:
			return i
		}
	}
	return len(text)
}

// requoted writes the inside of a Python string as a JSON string.
func requoted(inside string) []byte {
	inside = strings.ReplaceAll(inside, `\'`, `'`)
	if text := `"` + inside + `"`; json.Valid([]byte(text)) {
		return []byte(text)
	}
	return quoted(inside)
}

// literal is the JSON name of a Python constant.
func literal(word string) string {
	switch strings.ToLower(word) {
	case "true", "false":
		return strings.ToLower(word)
	case "none", "null":
		return "null"
	}
	return word
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
