package dialect

import (
	"strings"
	"unicode"
)

// A choice in a language other than English is read only where it is a whole answer: a word, or a word after a phrase
// that leads to it, "אני בוחר זוגי". Words inside a longer text are ignored: "nicht gerade" is not "gerade", and
// אי-זוגי contains זוגי.

// parityInOtherLanguage returns the parity, "even" or "odd", that a text is in another language; "" if it is none.
func parityInOtherLanguage(text string) string {
	text = plainOtherLanguage(text)
	if parity := otherParities[text]; parity != "" || text == "" {
		return parity
	}
	for _, lead := range otherLeads {
		rest, led := strings.CutPrefix(text, lead)
		if parity := otherParities[strings.Trim(rest, wordMarks+":")]; led && parity != "" {
			return parity
		}
	}
	return ""
}

// paritiesInOtherLanguages returns the parities that are spoken of in another language somewhere in a text.
func paritiesInOtherLanguages(text string, words []token) (parities []string) {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",;/\n。，、،", r) }) {
		if parity := parityInOtherLanguage(part); parity != "" {
			parities = append(parities, parity)
		}
	}
	for _, t := range words {
		word := t.text
		if strings.ContainsFunc(word, func(r rune) bool { return r > unicode.MaxASCII }) {
			word = plainOtherLanguage(word)
		}
		if parity := otherParities[word]; parity != "" && !alsoEnglish[word] {
			parities = append(parities, parity)
		}
	}
	return parities
}

// alsoEnglish are words of other languages that an English sentence may hold.
var alsoEnglish = wordSet("par pair pari impair")

// joinInOtherLanguage returns whether a text accepts or declines an invitation in another language.
func joinInOtherLanguage(text string) (yes, known bool) {
	yes, known = otherJoins[plainOtherLanguage(text)]
	return yes, known
}

// longestOtherLanguage limits the bytes of a text that is looked up.
const longestOtherLanguage = 80

// plainOtherLanguage writes a text as the tables have it: in lower case, without accents, vowel points and marks around it,
// every hyphen the same.
func plainOtherLanguage(text string) string {
	if len(text) > longestOtherLanguage {
		return ""
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\u05be' || r >= '\u2010' && r <= '\u2014': // the hyphen of Hebrew, and others
			return '-'
		case r >= '\u0300' && r <= '\u036f' || r >= '\u0591' && r <= '\u05c7' || r >= '\u064b' && r <= '\u0652':
			return -1
		case r == '\u0640' || unicode.Is(unicode.Cf, r): // marks that stretch a line or turn its direction
			return -1
		}
		return r
	}, strings.ToLower(text))
	return strings.Join(strings.Fields(strings.Trim(text, wordMarks)), " ")
}

// wordMarks are marks that stand around a word.
const wordMarks = " \t\r\n\"'`*_.!()[]“”‘’«»„‚¡。！「」『』，،״׳।"

// otherParities are the words for a parity. A word that means something else as often is not among them.
var otherParities = map[string]string{}

// otherLeads are phrases that lead to a choice, as [plainOtherLanguage] writes them.
var otherLeads []string

// otherJoins are the words for yes and no.
var otherJoins = map[string]bool{}

// init fills the lookups from the table of languages.
func init() {
	for _, l := range languages {
		for _, word := range l.even {
			otherParities[plainOtherLanguage(word)] = "even"
		}
		for _, word := range l.odd {
			otherParities[plainOtherLanguage(word)] = "odd"
		}
		for _, lead := range l.leads {
			otherLeads = append(otherLeads, plainOtherLanguage(lead))
		}
		for _, word := range l.yes {
			otherJoins[plainOtherLanguage(word)] = true
		}
		for _, word := range l.no {
			otherJoins[plainOtherLanguage(word)] = false
		}
	}
}
