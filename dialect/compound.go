package dialect

import "strings"

// Some options have two parts: a verb and its object, as in "guess:owl" and
// "ask:can_fly". Answers phrase them in many ways, which are all rewritten to
// the option before any other reading.
//
//	guess owl · My guess is: the owl · {"guess":"owl"} · owl    ─▶ guess:owl
//	ask can fly · ask about "can_fly" · {"ask":"can_fly"}       ─▶ ask:can_fly

// A compound is an option of two parts.
type compound struct {
	word string   // the option
	verb string   // "ask"
	name string   // "can_fly"
	said []string // the name as words: "can", "fly"
}

// A part is the part of a two-part option that an answer contains.
type part int

const (
	notTwo   part = iota // it is no such option
	nameOnly             // "owl"
	verbToo              // "guess owl"
)

// compoundsOf returns the options that have two parts. Options whose name belongs to several options are left out:
// players must write them in full.
func compoundsOf(options []option) (out []compound) {
	names := map[string]int{}
	for _, o := range options {
		_, name, _ := strings.Cut(o.word, ":")
		names[name]++
		names[o.word]++
	}
	for _, o := range options {
		verb, name, two := strings.Cut(o.word, ":")
		said := strings.Split(name, "_")
		if two && isPlainWord(verb) && isPlainWord(strings.Join(said, "")) && names[name] == 1 {
			out = append(out, compound{o.word, verb, name, said})
		}
	}
	return out
}

// isPlainWord reports whether a text consists of the letters a to z.
func isPlainWord(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz") == ""
}

// unfolded replaces every value that consists of one compound by the option it names. A name with a question mark,
// such as "owl?", stays unchanged: it is a question.
func (v vocabulary) unfolded(leaves []leaf) []leaf {
	if len(v.compounds) == 0 {
		return leaves
	}
	out := make([]leaf, 0, len(leaves))
	for _, l := range leaves {
		all := v.joined(tokens(l.text))
		for _, t := range all {
			asks := t.said == nameOnly && strings.Contains(l.text, "?")
			if v.has(t.text) && !l.bare && !asks && len(wordsOf(all)) == 1 {
				l.text = t.text
			}
		}
		out = append(out, l)
	}
	return out
}

// joined replaces the tokens of each compound by one token, its option.
func (v vocabulary) joined(all []token) []token {
	if len(v.compounds) == 0 {
		return all
	}
	out := make([]token, 0, len(all))
	for at := 0; at < len(all); {
		c, next := v.compoundAt(all, at)
		if c == nil {
			out, at = append(out, all[at]), at+1
			continue
		}
		said := nameOnly
		if all[at].text == c.verb {
			said = verbToo
		}
		out, at = append(out, token{text: c.word, word: true, said: said}), next
	}
	return out
}

// compoundAt returns the compound that begins at all[at], or nil, and the index after its last token.
func (v vocabulary) compoundAt(all []token, at int) (*compound, int) {
	for i := range v.compounds {
		c := &v.compounds[i]
		if all[at].text == c.verb {
			if next := c.nameAt(all, pastFillers(all, at+1)); next > 0 {
				return c, next
			}
		}
		if next := pastFillers(all, at); all[at].text == c.name || next > at && tokenAt(all, next).text == c.name {
			return c, c.nameAt(all, next)
		}
	}
	return nil, 0
}

// nameAt returns the index after the name of c if the name begins at all[at], or otherwise 0. The name may be one token
// or several words.
func (c *compound) nameAt(all []token, at int) int {
	if tokenAt(all, at).text == c.name {
		return at + 1
	}
	for i, word := range c.said {
		if tokenAt(all, at+i).text != word {
			return 0
		}
	}
	return at + len(c.said)
}

// pastFillers returns the first index from at on whose token is not a filler, such as "an" between a verb and a name.
func pastFillers(all []token, at int) int {
	for fillers[tokenAt(all, at).text] {
		at++
	}
	return at
}

// isChosen reports whether the option at index at follows its verb or a word that chooses: "I pick the owl". An
// option that is only mentioned is not chosen.
func isChosen(line []token, at int) bool {
	return line[at].said != nameOnly || choosers[leadWord(line[:at])]
}

// choosers are words that may precede a chosen option, as in "guess a dog".
var choosers = wordSet("choose choice pick select answer guess move say play")

// fillers are the words and signs that may stand between a chooser and the option.
var fillers = wordSet(`a an the about is it's it if whether : = ( " ' “ ‘ ` + "`")
