package dialect

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
)

// structured extracts the JSON object or array from a text and returns the surrounding text. The JSON may be
// the whole text, in a Markdown fence, between words, or printed as a Python dict.
func structured(text string) (inner json.RawMessage, around string, ok bool) {
	text = unfenced(text)
	if strings.HasPrefix(text, "<") {
		return nil, "", false
	}
	marks := "{["
	if first := strings.IndexAny(text, marks); first >= 0 && text[first] == '[' {
		marks = "[{"
	}
	for _, open := range []byte(marks) {
		begin, end := strings.IndexByte(text, open), 1+strings.LastIndexByte(text, closer[open])
		if begin < 0 || end <= begin {
			continue
		}
		if inner := literalIn(text[begin:end]); inner != nil {
			return inner, wordy(text[:begin] + "\n\n" + text[end:]), true
		}
	}
	return nil, "", false
}

// wordy returns a text if there are words in it.
func wordy(text string) string {
	if !strings.ContainsFunc(text, isWord) {
		return ""
	}
	return text
}

// literalIn converts a text that is JSON or a Python literal to JSON; it returns nil for any other text.
func literalIn(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	if len(text) > longestText {
		return nil
	}
	if loose := loosened(text); json.Valid(loose) {
		return loose
	}
	return nil
}

// closer maps an opening mark to its closing mark.
var closer = map[byte]byte{'{': '}', '[': ']'}

// withoutEvents returns the data of an answer that was sent as server-sent events, and any other answer unchanged.
func withoutEvents(answer []byte) []byte {
	if body := streamed(answer); body != nil {
		return body
	}
	var text []byte // of events that are no JSON
	for line := range bytes.Lines(answer) {
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			text = append(text, data...)
		}
	}
	return text
}

// unfenced returns the text inside a Markdown code fence, or the trimmed text if it has no fence.
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

// loosened converts a Python literal to JSON: strings get double quotes, and True, False and None get their JSON names.
// Other text is unchanged.
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

// closing returns the index of the quote that closes the string beginning at index at, or len(text).
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

// requoted returns the content of a Python string literal as a JSON string.
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

// isWord reports whether r can be part of a word.
func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || unicode.IsMark(r)
}
