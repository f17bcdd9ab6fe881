package dialect

import (
	"strings"
	"unicode"
)

// A choice in a language other than English is read only where it is a whole answer: a word, or a word after a phrase
// that leads to it, "אני בוחר זוגי". Words inside a longer text are ignored: "nicht gerade" is not "gerade", and
// אי-זוגי contains זוגי.

// parityAbroad returns the parity, "even" or "odd", that a text is in another language; "" if it is none.
func parityAbroad(text string) string {
	text = plainAbroad(text)
	if parity := paritiesAbroad[text]; parity != "" || text == "" {
		return parity
	}
	for _, lead := range leadsAbroad {
		rest, led := strings.CutPrefix(text, lead)
		if parity := paritiesAbroad[strings.Trim(rest, abroadMarks+":")]; led && parity != "" {
			return parity
		}
	}
	return ""
}

// heldAbroad returns the parities that are spoken of in another language somewhere in a text.
func heldAbroad(text string, words []token) (parities []string) {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",;/\n。，、،", r) }) {
		if parity := parityAbroad(part); parity != "" {
			parities = append(parities, parity)
		}
	}
	for _, t := range words {
		word := t.text
		if strings.ContainsFunc(word, func(r rune) bool { return r > unicode.MaxASCII }) {
			word = plainAbroad(word)
		}
		if parity := paritiesAbroad[word]; parity != "" && !alsoEnglish[word] {
			parities = append(parities, parity)
		}
	}
	return parities
}

// alsoEnglish are words of other languages that an English sentence may hold.
var alsoEnglish = wordSet("par pair pari impair")

// joinAbroad returns whether a text accepts or declines an invitation in another language.
func joinAbroad(text string) (yes, known bool) {
	yes, known = joinsAbroad[plainAbroad(text)]
	return yes, known
}

// longestAbroad limits the bytes of a text that is looked up.
const longestAbroad = 80

// plainAbroad writes a text as the tables have it: in lower case, without accents, vowel points and marks around it,
// every hyphen the same.
func plainAbroad(text string) string {
	if len(text) > longestAbroad {
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
	return strings.Join(strings.Fields(strings.Trim(text, abroadMarks)), " ")
}

// abroadMarks are marks that stand around a word.
const abroadMarks = " \t\r\n\"'`*_.!()[]“”‘’«»„‚¡。！「」『』，،״׳।"

// paritiesAbroad are the words for a parity. A word that means something else as often is not among them.
var paritiesAbroad = map[string]string{}

// leadsAbroad are phrases that lead to a choice, as [plainAbroad] writes them.
var leadsAbroad []string

// joinsAbroad are the words for yes and no.
var joinsAbroad = map[string]bool{}

// init fills the lookups from the table of languages.
func init() {
	for _, l := range languages {
		for _, word := range l.even {
			paritiesAbroad[plainAbroad(word)] = "even"
		}
		for _, word := range l.odd {
			paritiesAbroad[plainAbroad(word)] = "odd"
		}
		for _, lead := range l.leads {
			leadsAbroad = append(leadsAbroad, plainAbroad(lead))
		}
		for _, word := range l.yes {
			joinsAbroad[plainAbroad(word)] = true
		}
		for _, word := range l.no {
			joinsAbroad[plainAbroad(word)] = false
		}
	}
}
