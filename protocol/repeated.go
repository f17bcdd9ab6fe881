package protocol

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// RepeatedKey returns the first member name that occurs twice in one object of
// valid JSON text, at any depth, or "". An empty name that does is shown as "".
func RepeatedKey(text []byte) string {
	s := scanner{text: text}
	return s.value()
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

// value skips one value and returns the first repeated key in it.
func (s *scanner) value() string {
	switch s.space() {
	case '{':
		return s.members()
	case '[':
		for s.at++; s.space() != ']' && s.at < len(s.text); {
			if k := s.value(); k != "" {
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
	for s.at++; s.at < len(s.text) && !strings.ContainsRune(" \t\r\n,:]}", rune(s.text[s.at])); {
		s.at++
	}
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

func (s *scanner) members() string {
	var seen map[string]bool
	for s.at++; s.space() != '}' && s.at < len(s.text); {
		key := unquote(s.str())
		if seen[key] {
			return cmp.Or(key, `""`)
		}
		if seen == nil {
			seen = map[string]bool{}
		}
		seen[key] = true
		if k := s.value(); k != "" {
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
func unquote(quoted []byte) string {
	odd := func(c rune) bool { return c == '\\' || c >= utf8.RuneSelf }
	if n := len(quoted); n > 1 && !bytes.ContainsFunc(quoted, odd) {
		return string(quoted[1 : n-1])
	}
	var s string
	_ = json.Unmarshal(quoted, &s)
	return s
}
