package dialect

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"agentleague/protocol"
)

// An option is one of the moves that a player was offered.
type option struct {
	word   string // as a person writes it, in lower case
	move   json.RawMessage
	number bool
}

// parities are the options of a CHOOSE_PARITY_CALL, which does not list them.
var parities = []option{{word: "even", move: json.RawMessage(`"even"`)}, {word: "odd", move: json.RawMessage(`"odd"`)}}

// optionsOf returns the moves that a question offers, as far as they are strings or whole numbers.
func optionsOf(asked protocol.Message) (out []option) {
	switch q := asked.(type) {
	case *protocol.ChooseParityCall:
		return parities
	case *protocol.GameMoveCall:
		for _, move := range q.MoveRequest.ValidOptions {
			if o, ok := optionIn(move); ok {
				out = append(out, o)
			}
		}
	}
	return out
}

// optionIn converts a move to an option. It returns false unless the move is a string or a whole number.
func optionIn(move json.RawMessage) (option, bool) {
	move = bytes.TrimSpace(move)
	var text string
	switch {
	case len(move) > 0 && move[0] == '"' && json.Unmarshal(move, &text) == nil:
		return option{word: strings.ToLower(text), move: move, number: isWhole(text)}, text != ""
	case isWhole(string(move)):
		return option{word: string(move), move: move, number: true}, true
	}
	return option{}, false
}

// isWhole reports whether a text is a whole number.
func isWhole(text string) bool {
	return text != "" && strings.Trim(strings.TrimPrefix(text, "-"), "0123456789") == "" && text != "-"
}

// offered reports whether a move is byte for byte one that the question offers.
func offered(asked protocol.Message, move json.RawMessage) bool {
	if q, ok := asked.(*protocol.GameMoveCall); ok {
		return slices.ContainsFunc(q.MoveRequest.ValidOptions, func(o json.RawMessage) bool { return bytes.Equal(o, move) })
	}
	return slices.ContainsFunc(parities, func(o option) bool { return bytes.Equal(o.move, move) })
}

// A vocabulary is options by their words.
type vocabulary struct {
	list  []option
	index map[string]int
	rival string // the opponent's id, in lower case

	compounds []compound
}

// vocabularyOf indexes options by their words. A word that belongs to two options is left out.
func vocabularyOf(options []option) vocabulary {
	v, twice := vocabulary{list: options, index: make(map[string]int, len(options))}, map[string]bool{}
	for i, o := range options {
		twice[o.word] = twice[o.word] || v.has(o.word)
		v.index[o.word] = i
	}
	maps.DeleteFunc(v.index, func(word string, _ int) bool { return twice[word] })
	v.compounds = compoundsOf(options)
	return v
}

// has reports whether a word identifies one of the options.
func (v vocabulary) has(word string) bool {
	_, ok := v.index[word]
	return ok
}

// A choosing is the set of options found in an answer, by index.
type choosing struct {
	chosen  int          // the option that is plainly chosen; -1: none, or several
	held    map[int]bool // those that occur at all
	doubted map[int]bool // options in a sentence that denies or doubts them
	like    map[int]bool // those that occur as another word that is written the same
}

// choose finds the option that an answer clearly chooses. Values of members named for a choice take precedence,
// then values that equal an option, then options within a text. Conflicting values choose none.
func (h *harvest) choose(options []option) choosing {
	f := choosing{chosen: -1, held: map[int]bool{}, doubted: map[int]bool{}, like: map[int]bool{}}
	named, alone, unsure, spoken := map[int]bool{}, map[int]bool{}, map[int]bool{}, map[int]bool{}
	v, lone := vocabularyOf(options), h.substance() == 1
	v.rival = h.rival
	for _, l := range v.unfolded(h.leaves) {
		if i, sure := v.exactly(l); i >= 0 {
			f.held[i] = true
			if holdsAny(spelledOut(l.name), choiceNames) {
				named[i] = true
			}
			if sure || lone || named[i] {
				alone[i] = true
			} else if !options[i].number {
				unsure[i] = true
			}
			continue
		}
		if !l.bare {
			f.read(v.conclusion(l.text), v, spoken)
		}
	}
	maps.DeleteFunc(spoken, func(i int, plain bool) bool { return f.doubted[i] || !plain })
	switch {
	case len(named) > 0:
		f.chosen = only(named)
	case len(alone) > 0:
		maps.Copy(alone, unsure) // which may be meant as well
		f.chosen = only(alone)
	case len(f.held) == 1:
		f.chosen = only(spoken)
	}
	return f
}

// only returns the one option of a set, or -1.
func only(set map[int]bool) int {
	if len(set) != 1 {
		return -1
	}
	for i := range set {
		return i
	}
	return -1
}

// exactly returns the index of the option that equals a value, ignoring case, quotes and language; -1 if there is none.
// sure is false for a number or a word in another language, which may mean something else.
func (v vocabulary) exactly(l leaf) (at int, sure bool) {
	text := strings.ToLower(l.text)
	if !l.bare {
		text = strings.Trim(text, " \t\r\n\"'`*_.!()[]“”‘’«»")
	}
	if i, ok := v.index[text]; ok && (!l.bare || v.list[i].number) {
		return i, !v.list[i].number
	}
	if i, ok := v.index[parityInOtherLanguage(l.text)]; ok && !l.bare {
		return i, false
	}
	return -1, false
}

// choiceNames are words in names of members that hold a choice.
var choiceNames = wordSet(`choice choose chosen move cell square position pos spot field box index card ask answer action play
	pick picked select selected selection decision option parity bid call guess vote value result`)
