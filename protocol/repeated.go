package protocol

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// RepeatedKey returns the first member name that occurs twice in one object of
// valid JSON text, at any depth, or "". An empty name that does is shown as "".
func RepeatedKey(text []byte) string {
	var room [64][]byte
	s := scanner{text: text}
	return s.value(room[:0])
}

// A scanner walks over JSON text that is known to be valid.
type scanner struct {
	text []byte
	at   int
}

// space skips what stands between values and returns the byte after it.
func (s *scanner) space() byte {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// value skips one value and returns the first repeated key in it. Behind keys,
// which are those of the objects around it, is room for its own.
func (s *scanner) value(keys [][]byte) string {
	switch s.space() {
	case '{':
		return s.members(keys)
	case '[':
		for s.at++; s.space() != ']' && s.at < len(s.text); {
			if k := s.value(keys); k != "" {
				return k
			}
		}
		s.at++
	case '"':
		s.str()
	default:
		s.scalar()
	}
	return ""
}

// scalar skips a number, true, false or null.
func (s *scanner) scalar() {
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case ' ', '\t', '\r', '\n', ',', ':', ']', '}':
			return
		}
	}
}

// next skips one value and returns it.
func (s *scanner) next() json.RawMessage {
	s.space()
	start := s.at
	s.skip()
	return s.text[start:s.at:s.at]
}

// skip skips one value.
func (s *scanner) skip() {
	for depth := 0; s.at < len(s.text); {
		switch s.space() {
		case '{', '[':
			depth++
			s.at++
		case '}', ']':
			depth--
			s.at++
		case '"':
			s.str()
		default:
			s.scalar()
		}
		if depth <= 0 {
			return
		}
	}
}

// members skips an object. Few names are compared one by one, which costs no
// memory; many are looked up.
func (s *scanner) members(keys [][]byte) string {
	const few = 32
	first := len(keys)
	var many map[string]bool
	for s.at++; s.space() != '}' && s.at < len(s.text); {
		key := unquoted(s.str())
		own := keys[first:]
		if many == nil && len(own) == few {
			many = map[string]bool{}
			for _, k := range own {
				many[string(k)] = true
			}
		}
		if many[string(key)] || many == nil && slices.ContainsFunc(own, func(k []byte) bool { return bytes.Equal(k, key) }) {
			return cmp.Or(string(key), `""`)
		}
		if many != nil {
			many[string(key)] = true
		} else {
			keys = append(keys, key)
		}
		if k := s.value(keys); k != "" {
			return k
		}
	}
	s.at++
	return ""
}

// str skips a string and returns it with its quotes.
func (s *scanner) str() []byte {
	start := s.at
	for s.at++; s.at < len(s.text) && s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
	s.at = min(s.at+1, len(s.text))
	return s.text[start:s.at]
}

// unquote returns the text of a JSON string: "a" and "\u0061" are the same name.
func unquote(quoted []byte) string { return string(unquoted(quoted)) }

// unquoted is unquote without a copy where the text stands there as it is.
func unquoted(quoted []byte) []byte {
	if n := len(quoted); n > 1 && unescaped(quoted) {
		return quoted[1 : n-1]
	}
	var s string
	_ = json.Unmarshal(quoted, &s)
	return []byte(s)
}

// unescaped reports whether a text is ASCII without a backslash.
func unescaped(text []byte) bool {
	for _, c := range text {
		if c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
