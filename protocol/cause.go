package protocol

import (
	"html"
	"regexp"
	"strings"
	"unicode"
)

// A Cause describes why a call to an agent returned no usable answer.
type Cause struct {
	Happened string // in words that follow the agent: answered HTTP 500 to game_move
	Said     string // the agent's raw answer; only the organizer and its owner read it
	Advice   string // the remedy; "": that of the kind of error
}

// Sentence returns the cause as a sentence, with the beginning of the agent's answer. [withoutAnswers] removes that
// part.
func (c Cause) Sentence(agent string) string {
	text := agent + " " + c.Happened
	if said := excerpt(c.Said); said != "" {
		text += " (it said: “" + said + "”)"
	}
	return text
}

// Error returns the cause as an error of a kind, addressed to the agent itself.
func (c Cause) Error(kind *Kind) *Error {
	return &Error{Kind: kind, Detail: c.Sentence(YourAgent), Advice: c.Advice}
}

// anAnswer matches the part of a sentence that quotes an agent. A truncated text has no closing quote.
var anAnswer = regexp.MustCompile(` ?\(it said: “[^”]*(?:”\)?|$)`)

// withoutAnswers removes quoted answers of agents from a sentence. Only the organizer and the agent's owner may read
// them.
func withoutAnswers(sentence string) string {
	if !strings.Contains(sentence, "(it said: “") {
		return sentence
	}
	return anAnswer.ReplaceAllString(sentence, "")
}

// maxExcerpt is the maximum number of characters that are quoted from an answer.
const maxExcerpt = 300

// excerpt returns the beginning of an answer as one printable line. Markup of a web page is removed.
func excerpt(answer string) string {
	if isMarkup.MatchString(answer) {
		answer = html.UnescapeString(tags.ReplaceAllString(answer, " "))
	}
	answer = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == '“' || r == '”':
			return '"'
		case r == unicode.ReplacementChar || !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(answer, ""))
	runes := []rune(strings.Join(strings.Fields(answer), " "))
	if len(runes) > maxExcerpt {
		return string(runes[:maxExcerpt]) + "…"
	}
	return string(runes)
}

var (
	// isMarkup matches a web page.
	isMarkup = regexp.MustCompile(`(?i)^\s*<|<(?:!doctype|html|body|title|h1)\b`)
	// tags matches the parts to remove from a web page: tags, comments, and the contents of invisible elements. An
	// element may be cut off.
	tags = regexp.MustCompile(`(?is)<!--.*?(?:-->|$)|<style\b.*?(?:</style>|$)|<script\b.*?(?:</script>|$)|<[^>]*(?:>|$)`)
)
