package dialect

import (
	"slices"
	"strings"
)

// joins reads whether an answer accepts (yes) or declines an invitation. plain is false if the answer does neither or
// both.
func (h *harvest) joins() (yes, plain bool) {
	var said [2]bool // no, yes
	lone := h.substance() == 1
	for _, l := range h.leaves {
		says, ok := joinIn(l, lone)
		switch {
		case ok && says:
			said[1] = true
		case ok:
			said[0] = true
		}
	}
	return said[1], said[0] != said[1]
}

// joinIn reads one value of an answer to an invitation. lone reports that no other value has content. plain is false if
// the value neither accepts nor declines.
func joinIn(l leaf, lone bool) (yes, plain bool) {
	words := spelledOut(l.name)
	switch {
	case l.bare && l.text == "true":
		return true, len(words) == 0 || holdsAny(words, yesNames)
	case l.bare:
		return false, l.text == "false" && (len(words) == 0 || holdsAny(words, noNames))
	}
	if yes, known := joins[strings.ToUpper(l.text)]; known {
		return yes, true
	}
	if yes, known := joinInOtherLanguage(l.text); known && (lone || holdsAny(words, yesNames)) {
		return yes, true
	}
	return joinSpoken(l.text)
}

// yesNames are words in member names for which true accepts; noNames are those for which false declines. A player with
// "ready": false has not declined.
var (
	yesNames = wordSet(`result success ok accept accepts accepted join joins joined joining ready confirm confirmed ack
		answer response value participate participating agree agreed yes play`)
	noNames = wordSet("result accept accepts accepted join joins joined joining answer response participate agree " +
		"agreed yes")
)

// longestJoin limits the number of words of a text that is read as an answer to an invitation.
const longestJoin = 60

// joinSpoken reads a text as an answer to an invitation. Because a refusal ends the match, only clear signs count: a
// text that begins with "no", or a short text with a word such as "decline". A yes with any sign of doubt is not plain.
func joinSpoken(text string) (yes, plain bool) {
	all := tokens(text)
	words := wordsOf(all)
	if len(words) == 0 || len(words) > longestJoin || slices.ContainsFunc(all, func(t token) bool { return t.text == "?" }) {
		return false, false
	}
	harmless := len(words) > 1 && (words[0] == "no" || words[0] == "not") && noTrouble[words[len(words)-1]] && len(words) <= 3
	agrees := harmless || holdsAny(words, yesWords) || holdsPhrase(words, yesPhrases)
	switch {
	case !agrees && declines(all, words):
		return false, true
	case harmless:
		return true, true
	}
	return true, agrees && !slices.ContainsFunc(words, func(w string) bool { return spoilsYes[w] || strings.HasSuffix(w, "n't") })
}

// holdsPhrase reports whether the words contain one of the phrases.
func holdsPhrase(words, phrases []string) bool {
	text := " " + strings.Join(words, " ") + " "
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, " "+p+" ") })
}

// yesPhrases are phrases of several words that accept an invitation.
var yesPhrases = []string{"i'm in", "i am in", "count me in", "let's go", "let's play", "happy to play", "of course"}

// declines reports whether a text that contains no word of acceptance declines an invitation.
func declines(all []token, words []string) bool {
	if noWords[words[0]] {
		after := tokenAt(all, 1)
		return len(words) == 1 || (!after.word || politely[after.text]) && !holdsAny(words, misunderstood)
	}
	return len(words) <= 8 && holdsAny(words, refusals) && !holdsAny(words, misunderstood) &&
		!slices.ContainsFunc(words, func(w string) bool { return spoilsNo[w] || strings.HasSuffix(w, "n't") })
}

var (
	yesWords = wordSet(`yes y yep yeah yup ok okay accept accepted accepts accepting join joined joining joins ready sure
		agreed agree confirmed confirm gladly absolutely affirmative roger true success`)
	noWords  = wordSet("no nope nah false n")
	politely = wordSet("thanks thank i sorry way sir we not")
	refusals = wordSet("decline declined declines declining refuse refused refuses refusing reject rejected " +
		"rejects denied")
	noTrouble = wordSet("problem problems worries doubt objection objections issue issues")
	// misunderstood are words of an agent that rejects the message as unknown rather than the match.
	misunderstood = wordSet("unknown unsupported method tool handler message found supported such invalid error type")
	spoilsNo      = wordSet("not never cannot")
	spoilsYes     = wordSet(`no not never nope nah cannot cant unable busy decline declined refuse refused reject rejected denied
		failed error maybe perhaps later if unless wait unknown invalid false`)
)
