package protocol

import "unicode/utf8"

// tight reports whether text is one value of JSON that encoding/json would copy as it is: valid, without space between
// its parts, and safe within HTML. It may say no of one that is: whoever asks then has the long way. Like encoding/json
// it does not look whether strings are UTF-8.
func tight(text []byte) bool {
	return len(text) > 0 && tightValue(text, 0, 0) == len(text)
}

// deepest is how far values may stand within each other, and be tight.
const deepest = 64

// Each of the following returns where what begins at a text's byte i ends, or -1 if nothing of that kind begins there.

// tightValue returns where the value at i ends if it is JSON without any space outside of strings, -1 otherwise.
// Nesting is bounded, since what is read may be a stranger's.
func tightValue(text []byte, i, depth int) int {
	if i >= len(text) || depth > deepest {
		return -1
	}
	switch text[i] {
	case '"':
		return tightString(text, i)
	case '{':
		return tightMembers(text, i, depth)
	case '[':
		return tightElements(text, i, depth)
	case 't':
		return tightWord(text, i, "true")
	case 'f':
		return tightWord(text, i, "false")
	case 'n':
		return tightWord(text, i, "null")
	}
	return numberEnd(text, i)
}

// tightMembers is tightValue for an object: i is at its brace.
func tightMembers(text []byte, i, depth int) int {
	if i++; at(text, i) == '}' {
		return i + 1
	}
	for {
		if i = tightString(text, i); i < 0 || at(text, i) != ':' {
			return -1
		}
		if i = tightValue(text, i+1, depth+1); i < 0 {
			return -1
		}
		switch at(text, i) {
		case '}':
			return i + 1
		case ',':
			i++
		default:
			return -1
		}
	}
}

// tightElements is tightValue for a list: i is at its bracket.
func tightElements(text []byte, i, depth int) int {
	if i++; at(text, i) == ']' {
		return i + 1
	}
	for {
		if i = tightValue(text, i, depth+1); i < 0 {
			return -1
		}
		switch at(text, i) {
		case ']':
			return i + 1
		case ',':
			i++
		default:
			return -1
		}
	}
}

// tightString takes letters outside ASCII but for the two that are not safe in JavaScript, U+2028 and U+2029.
func tightString(text []byte, i int) int {
	if at(text, i) != '"' {
		return -1
	}
	for i++; i < len(text); i++ {
		switch c := text[i]; {
		case own[c] || c >= utf8.RuneSelf && !(c == 0xe2 && at(text, i+1) == 0x80 && at(text, i+2)|1 == 0xa9):
		case c == '"':
			return i + 1
		case c == '\\':
			if i = escapeEnd(text, i) - 1; i < 0 {
				return -1
			}
		default:
			return -1
		}
	}
	return -1
}

// escapeEnd returns where the escape at i ends, -1 if it is none that JSON knows.
func escapeEnd(text []byte, i int) int {
	switch at(text, i+1) {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		for k := i + 2; k < i+6; k++ {
			if !isHex(at(text, k)) {
				return -1
			}
		}
		return i + 6
	}
	return -1
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// tightWord returns where a word ends that has to be at i, -1 if it is not there.
func tightWord(text []byte, i int, word string) int {
	if len(text)-i < len(word) || string(text[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

// numberEnd takes any number of JSON.
func numberEnd[T string | []byte](text T, i int) int {
	if at(text, i) == '-' {
		i++
	}
	whole := i
	i = digitsEnd(text, i)
	if i == whole || text[whole] == '0' && i > whole+1 {
		return -1
	}
	if at(text, i) == '.' {
		from := i + 1
		if i = digitsEnd(text, from); i == from {
			return -1
		}
	}
	if c := at(text, i); c != 'e' && c != 'E' {
		return i
	}
	from := i + 1
	if c := at(text, from); c == '+' || c == '-' {
		from++
	}
	if i = digitsEnd(text, from); i == from {
		return -1
	}
	return i
}

// digitsEnd returns where the digits from i on end, i itself if there are none.
func digitsEnd[T string | []byte](text T, i int) int {
	for i < len(text) && '0' <= text[i] && text[i] <= '9' {
		i++
	}
	return i
}

// at returns a byte of a text, and 0 behind its end.
func at[T string | []byte](text T, i int) byte {
	if i < len(text) {
		return text[i]
	}
	return 0
}
