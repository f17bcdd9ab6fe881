package dialect

import (
	"regexp"
	"strings"
)

// conclusionPhrase begins the last part of an answer that reasons before it decides.
var conclusionPhrase = regexp.MustCompile(`(?i)\bfinal (?:answer|choice|decision|move)\b|\btherefore\b`)

// maxConclusion is the maximum length of a conclusion in bytes. A longer text goes on reasoning.
const maxConclusion = 200

// conclusion returns the part of a text that states its decision, if the text reasons first: the part after the last
// phrase such as "final answer" or, without one, the last line if it is an option alone after a whole sentence. Either must
// hold exactly one option, and no earlier line may be an option alone; otherwise conclusion returns the whole text.
func (v vocabulary) conclusion(text string) string {
	if found := conclusionPhrase.FindAllStringIndex(text, -1); found != nil {
		rest := text[found[len(found)-1][0]:]
		if len(rest) <= maxConclusion && v.heldIn(rest) == 1 {
			return rest
		}
		return text
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := len(lines) - 1
	before := strings.TrimSpace(strings.Join(lines[:last], "\n"))
	if before == "" || !strings.ContainsRune(".!?", rune(before[len(before)-1])) || !v.isAlone(lines[last]) {
		return text
	}
	if all := sentences(tokens(before)); len(all) == 0 || isDoubt(all[len(all)-1]) {
		return text
	}
	for _, line := range lines[:last] {
		if v.isAlone(line) {
			return text
		}
	}
	return lines[last]
}

// isAlone reports whether a line is an option and nothing else.
func (v vocabulary) isAlone(line string) bool {
	at, _ := v.exactly(leaf{text: strings.TrimSpace(line)})
	return at >= 0
}

// heldIn returns the number of different options in a text.
func (v vocabulary) heldIn(text string) int {
	held := map[int]bool{}
	for _, t := range v.joined(tokens(text)) {
		if i, is := v.index[t.text]; is && t.word {
			held[i] = true
		}
	}
	return len(held)
}
