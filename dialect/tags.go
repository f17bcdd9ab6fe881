package dialect

import (
	"regexp"
	"strings"
)

// longestText limits the bytes of a text that is searched for a choice.
const longestText = 16 << 10

// Models are often instructed to think in one tag and to answer in another: <think>…</think><answer>even</answer>.

// tagged returns the text in the first tag that is named for an answer, the name of that tag, and the surrounding text
// without the thoughts. ok is false if the text has neither answer nor thought tags, or is an HTML page.
func tagged(text string) (tag, inside, outside string, ok bool) {
	if len(text) > longestText || !strings.Contains(text, "</") || isPage.MatchString(text) {
		return "", "", "", false
	}
	without := thought.ReplaceAllString(text, "\n\n")
	for _, found := range answerTag.FindAllStringSubmatchIndex(without, -1) {
		open, close := strings.ToLower(without[found[2]:found[3]]), strings.ToLower(without[found[6]:found[7]])
		if open == close {
			return open, without[found[4]:found[5]], wordy(without[:found[0]] + "\n\n" + without[found[1]:]), true
		}
	}
	return "", "", without, without != text
}

// Marks that models put around or before an answer, and the signs of an HTML page.
var (
	thought   = regexp.MustCompile(`(?is)<think>.*?</think>|<thinking>.*?</thinking>|<reasoning>.*?</reasoning>|<thought>.*?</thought>`)
	answerTag = regexp.MustCompile(`(?is)<(answer|final|final_answer|choice|move|parity|parity_choice|response|output|result)>\s*([^<]*?)\s*</([a-z_]+)>`)
	isPage    = regexp.MustCompile(`(?i)<!doctype|<html|<body|<head`)
)
