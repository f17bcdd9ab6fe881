package dialect

import (
	"slices"
	"strings"
)

// read finds the options in a text. It adds them to f.held, f.doubted or f.like, and sets chosen for those that the
// text chooses: an option alone, or at the end of a sentence about choosing. Options that are doubted, denied,
// questioned or another player's are not chosen, nor are other words with the same spelling: "not even", "even so",
// "how odd", "you chose even".
func (f choosing) read(text string, options vocabulary, chosen map[int]bool) {
	words := tokens(text)
	for _, parity := range paritiesInOtherLanguages(text, words) {
		if i, ok := options.index[parity]; ok { // mentioned, but it is not clear how
			f.held[i], f.doubted[i] = true, true
		}
	}
	all := sentences(options.joined(certain(words)))
	doubted := slices.ContainsFunc(all, isDoubt)
	for _, s := range all {
		vague := doubted || s.asks() || s.vague(options)
		for _, line := range s.lines {
			for at, t := range line {
				i, is := options.index[t.text]
				switch {
				case !is || !t.word:
				case incidental(line, at, options.list[i]):
					f.like[i] = true
				default:
					f.held[i], f.doubted[i] = true, f.doubted[i] || vague
					chosen[i] = chosen[i] || isChosen(line, at) && options.plainly(line, at)
				}
			}
		}
	}
}

// certain replaces opening phrases that only express certainty, as in "No doubt: even.", by the word "definitely".
func certain(all []token) []token {
	for _, phrase := range certainties {
		for at := 0; at+len(phrase) <= len(all); at++ {
			begins := at == 0 || !all[at-1].word
			same := slices.EqualFunc(phrase, all[at:at+len(phrase)], func(word string, t token) bool { return t.word && t.text == word })
			if begins && same && !tokenAt(all, at+len(phrase)).word {
				all = slices.Replace(all, at, at+len(phrase), token{text: "definitely", word: true})
			}
		}
	}
	return all
}

// isDoubt reports whether a sentence is a short denial, such as "No." or "Not really.", that refers to its neighbor.
func isDoubt(s sentence) bool {
	words := s.words()
	return len(words) <= 3 && slices.ContainsFunc(words, isVague)
}

// vague reports whether a sentence denies or doubts what it states.
func (s sentence) vague(options vocabulary) bool {
	words := s.words()
	for _, line := range s.lines {
		if slices.ContainsFunc(line, func(t token) bool { return t.text == "%" }) {
			return true
		}
	}
	conditional := slices.Contains(words, "would") && slices.Contains(words, "have")
	return conditional || slices.ContainsFunc(words, func(w string) bool { return isVague(w) && !options.has(w) })
}

// asks reports whether a sentence is a question, with or without a question mark.
func (s sentence) asks() bool {
	words := s.words()
	return s.question || len(words) > 1 && asking[words[0]]
}

// isVague reports whether a word denies, doubts or reverses the statement around it.
func isVague(word string) bool { return vagueWords[word] || strings.HasSuffix(word, "n't") }

// incidental reports whether the option at index at is another word
// with the same spelling: the adverb in "even so", the number in "round 3".
func incidental(line []token, at int, o option) bool {
	before, after := wordAt(line, at-1), wordAt(line, at+1)
	if o.number {
		return counted[before]
	}
	return o.word == "check" && looking[before] || o.word == "even" && adverbial[after] || o.word == "odd" && (strange[before] || after == "that") ||
		o.word == "even" && settling[before]
}

// longestLine limits the number of tokens of a line that counts as a choice.
const longestLine = 120

// plainly reports whether a line chooses the option at index at: at most a reason follows the option, the choice is
// the speaker's, and the option stands alone or in a line about choosing.
func (v vocabulary) plainly(line []token, at int) bool {
	before, label := tokenAt(line, at-1), leadWord(line[:at])
	switch {
	case len(line) > longestLine || isPath(before) || isPath(tokenAt(line, at+1)) || !ends(line, at, leading[label]):
		return false
	case intensive[before.text] || isArticle(before.text) && !isNoun(wordAt(line, at+1)):
		return false
	case others[lastPerson(line[:at], v.rival)] || aboutNumber(line[:at]) || v.isSubject(line, at):
		return false
	case isMark(before) && (namesNoMove(spelledOut(label)) || holdsAny(spelledOut(label), aboutOthers)):
		return false
	}
	words, number := wordsOf(line), v.list[v.index[line[at].text]].number
	switch {
	case isCopula(before.text):
		return !number && before.text == "it's" || namesChoice(line[:at], number)
	case number && len(words) > 1:
		return leading[label] || holdsAny(spelledOut(label), choiceNames)
	}
	return line[at].said == verbToo || leading[label] || isMark(before) || different(words) <= 2 || holdsAny(words, choosingWords) ||
		holdsAny(words, ownWords)
}

// isSubject reports whether the number at index at is the subject of the line: "cell 7 is A", but not "7 is my choice".
func (v vocabulary) isSubject(line []token, at int) bool {
	return v.list[v.index[line[at].text]].number && isCopula(wordAt(line, at+1)) && !namesChoice(line[at+1:], true)
}

// namesChoice reports whether the words of a line name a choice, as "my move" does in "my move is 7".
func namesChoice(line []token, number bool) bool {
	if number {
		return holdsAny(wordsOf(line), choiceNames)
	}
	return holdsAny(wordsOf(line), choosingWords)
}

// leadWord returns the last word of a line other than an article, if only marks such as a colon or a quote follow it;
// "" otherwise.
func leadWord(line []token) string {
	for _, t := range slices.Backward(line) {
		switch {
		case t.word && !isArticle(t.text):
			return t.text
		case !t.word && !isMark(t):
			return ""
		}
	}
	return ""
}

// isMark reports whether a mark separates a name from its value.
func isMark(t token) bool {
	return !t.word && t.text != "" && strings.Contains("#:=\"'“‘*`", t.text)
}

// ends reports whether the choice at index at is complete: it is followed by a mark, by a reason, or by the noun that
// it qualifies. Led reports that the word before the choice introduces it.
func ends(line []token, at int, led bool) bool {
	after := tokenAt(line, at+1)
	if isNoun(after.text) || wagered[after.text] || staking[after.text] && wagered[wordAt(line, at+2)] {
		return ends(line, at+1, led)
	}
	return !after.word || following[after.text] || led && connecting[after.text] ||
		after.text == "it" && wordAt(line, at+2) == "is"
}

// aboutNumber reports whether a line makes a statement about a number: "7 is odd".
func aboutNumber(line []token) bool {
	for i, t := range line {
		if t.word && isWhole(t.text) && isCopula(wordAt(line, i+1)) {
			return true
		}
	}
	return false
}

// different counts the different words.
func different(words []string) int { return len(slices.Compact(slices.Sorted(slices.Values(words)))) }

// isCopula reports whether a word is a form of "to be".
func isCopula(word string) bool {
	return copulas[word] || strings.HasSuffix(word, "'s") && word != "let's" || strings.HasSuffix(word, "'m") ||
		strings.HasSuffix(word, "'re")
}

// lastPerson returns the last word of a line that names the owner of a choice, or "". The rival's id counts as
// "opponent".
func lastPerson(line []token, rival string) string {
	for _, t := range slices.Backward(line) {
		switch {
		case t.word && t.text == rival:
			return "opponent"
		case others[t.text] || ownWords[t.text]:
			return t.text
		}
	}
	return ""
}

func isArticle(word string) bool { return word == "a" || word == "an" }

// isNoun reports whether a word is a noun that a preceding option qualifies, as in "even number".
func isNoun(word string) bool { return word == "number" || word == "numbers" || word == "parity" }

// isPath reports whether a mark makes its neighbor a part of a path, an address or an amount.
func isPath(t token) bool { return !t.word && t.text != "" && strings.Contains(`/\@$€£`, t.text) }

// tokenAt returns a token of a line, or the zero token if the index is out of range.
func tokenAt(line []token, at int) token {
	if at < 0 || at >= len(line) {
		return token{}
	}
	return line[at]
}

// wordAt returns a word of a line, or "" if the index is out of range or holds a mark.
func wordAt(line []token, at int) string {
	if t := tokenAt(line, at); t.word {
		return t.text
	}
	return ""
}
