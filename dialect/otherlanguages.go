package dialect

import (
	"strings"
	"unicode"
)

// A choice in a language other than English counts only as a whole answer: one word, or one word after an introductory
// phrase, "אני בוחר זוגי". Words inside a longer text do not count: "nicht gerade" is not "gerade", and
// אי-זוגי contains זוגי.

// parityInOtherLanguage returns "even" or "odd" if a text is that choice in another language, and "" otherwise.
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

// paritiesInOtherLanguages returns the parities that a text mentions in another language.
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

// alsoEnglish are words of other languages that may occur in an English sentence.
var alsoEnglish = wordSet("par pair pari impair")

// joinInOtherLanguage reads a text as an answer to an invitation in another language. known is false if it is none.
func joinInOtherLanguage(text string) (yes, known bool) {
	yes, known = otherJoins[plainOtherLanguage(text)]
	return yes, known
}

// longestOtherLanguage limits the bytes of a text that is looked up in the tables of other languages.
const longestOtherLanguage = 80

// plainOtherLanguage normalizes a text for lookup: lower case, ASCII hyphens, without accents, vowel points and
// surrounding marks. Texts above longestOtherLanguage become "".
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

// otherParities maps words to "even" or "odd". Words that often mean something else are left out.
var otherParities = map[string]string{}

// otherLeads lists phrases that introduce a choice, as [plainOtherLanguage] writes them.
var otherLeads []string

// otherJoins are the words for yes and no.
var otherJoins = map[string]bool{}

// init fills the lookup tables from languages.
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
