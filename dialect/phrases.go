package dialect

import (
	"strings"
	"unicode"
)

// A token is a lower-case word of a text, or one mark between words.
type token struct {
	text string
	word bool
	said part // of an option of two parts
}

// tokens splits a text into tokens. Words joined by a hyphen or an apostrophe are one token, and so is a number with a
// point, a comma, a colon or a slash in it.
func tokens(text string) (out []token) {
	runes := []rune(strings.ReplaceAll(strings.ToLower(text), "e.g.", " example "))
	at := func(i int) rune {
		if i < 0 || i >= len(runes) {
			return ' '
		}
		return runes[i]
	}
	for i := 0; i < len(runes); {
		r := runes[i]
		switch {
		case isWord(r) || r == '-' && unicode.IsDigit(at(i+1)) && !isWord(at(i-1)):
			end := i + 1
			for end < len(runes) && (isWord(runes[end]) || joinsWords(at(end-1), runes[end], at(end+1))) {
				end++
			}
			out = append(out, token{text: strings.Trim(strings.ReplaceAll(string(runes[i:end]), "’", "'"), "_"), word: true})
			i = end
		default:
			if !unicode.IsSpace(r) || r == '\n' {
				out = append(out, token{text: string(r)})
			}
			i++
		}
	}
	return out
}

// joinsWords reports whether a mark between two runes is part of a word or number.
func joinsWords(before, mark, after rune) bool {
	switch mark {
	case '-', '\'', '’':
		return isWord(before) && isWord(after)
	case '.', ',', ':', '/':
		return unicode.IsDigit(before) && unicode.IsDigit(after)
	}
	return false
}

// A sentence is the text between two full stops. It keeps its lines, because a line may be a sentence without one.
type sentence struct {
	lines    [][]token
	question bool
}

// sentences puts words together.
func sentences(all []token) (out []sentence) {
	now := sentence{lines: [][]token{nil}}
	end := func() {
		if len(now.words()) > 0 {
			out = append(out, now)
		} else if now.question && len(out) > 0 {
			out[len(out)-1].question = true
		}
		now = sentence{lines: [][]token{nil}}
	}
	for i, t := range all {
		blank := i > 0 && t.text == "\n" && all[i-1].text == "\n"
		switch {
		case t.word:
			now.lines[len(now.lines)-1] = append(now.lines[len(now.lines)-1], t)
		case t.text == "?" || t.text == "¿":
			now.question = true
			end()
		case blank || strings.Contains(".!;…", t.text):
			end()
		case t.text == "\n":
			now.lines = append(now.lines, nil)
		default:
			now.lines[len(now.lines)-1] = append(now.lines[len(now.lines)-1], t)
		}
	}
	end()
	return out
}

// words are the words of a sentence.
func (s sentence) words() (out []string) {
	for _, line := range s.lines {
		out = append(out, wordsOf(line)...)
	}
	return out
}

// wordsOf are the words among tokens.
func wordsOf(all []token) (out []string) {
	for _, t := range all {
		if t.word {
			out = append(out, t.text)
		}
	}
	return out
}
