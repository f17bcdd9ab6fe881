package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentleague/protocol"
)

// longestQuote is how many bytes of an answer are quoted to its author.
const longestQuote = 120

// mostQuoted is how many of its texts are.
const mostQuoted = 3

// objectToMove describes why an answer to the question for a move is not a move; nil for a mere acknowledgement. Kind
// is the error for an illegal answer to that question.
func (h *harvest) objectToMove(kind *protocol.Kind, options []option, f choosing) *protocol.Error {
	why := "does not hold " + list(options, nil, "or")
	held := slices.Sorted(maps.Keys(f.held))
	if len(held) == 0 {
		held = slices.Sorted(maps.Keys(f.like))
		held = held[:min(len(held), 1)]
	}
	switch {
	case h.page:
		return protocol.Errorf(kind, "%s answered with a web page or other markup, which is not read for a move",
			protocol.YourAgent)
	case len(held) == 0 && h.acknowledges():
		return nil
	case h.cut && len(h.leaves) == 0:
		return protocol.Errorf(kind, "%s answered at a length or depth that is not read for a move",
			protocol.YourAgent)
	case len(held) == 1:
		why = "does not plainly choose " + options[held[0]].word
	case len(held) == 2:
		why = "holds both " + list(options, held, "and")
	case len(held) > 2:
		why = "holds " + list(options, held, "and")
	case len(options) == 2:
		why = "holds neither " + list(options, nil, "nor")
	case len(options) > 2:
		why = "holds none of " + list(options, nil, "and")
	}
	return protocol.Errorf(kind, "%s answered %s, which %s", protocol.YourAgent, h.quote(), why)
}

// objectToJoin describes why an answer to an invitation is not a join; nil for a mere acknowledgement.
func (h *harvest) objectToJoin() *protocol.Error {
	switch {
	case h.page:
		return protocol.Errorf(protocol.InvalidMessage, "%s answered the invitation with a web page or other markup", protocol.YourAgent)
	case h.acknowledges():
		return nil
	case h.cut && len(h.leaves) == 0:
		return protocol.Errorf(protocol.InvalidMessage, "%s answered the invitation at a length or depth that is not read",
			protocol.YourAgent)
	}
	return protocol.Errorf(protocol.InvalidMessage, "%s answered %s, which says neither yes nor no to the invitation",
		protocol.YourAgent, h.quote()).Suggest("Answer an invitation with a GAME_JOIN_ACK, or with true or false")
}

// Broken reports whether an answer begins as a JSON object or array and is not JSON: it is meant as an answer, and no
// acknowledgement.
func Broken(answer []byte) bool { return objectToJSON(answer, "") != nil }

// objectToJSON returns the position of the first JSON error in an answer that begins as an object or array; nil for
// valid JSON and for other text.
func objectToJSON(answer []byte, method string) *protocol.Error {
	var v json.RawMessage
	var bad *json.SyntaxError
	answer = bytes.TrimSpace(streamed(answer))
	if len(answer) == 0 || answer[0] != '{' && answer[0] != '[' || !errors.As(json.Unmarshal(answer, &v), &bad) {
		return nil
	}
	before := answer[:min(max(int(bad.Offset)-1, 0), len(answer))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[1+bytes.LastIndexByte(before, '\n'):])
	return protocol.Cause{
		Happened: fmt.Sprintf("answered invalid JSON to %s: %v at line %d, column %d", method, bad, line, column),
		Said:     string(answer), Advice: "Write answers with a JSON library",
	}.Error(protocol.InvalidMessage)
}

// acknowledges reports whether an answer is only an acknowledgement of receipt.
func (h *harvest) acknowledges() bool {
	return !h.cut && !slices.ContainsFunc(h.leaves, func(l leaf) bool {
		if l.bare {
			return l.text != "true" && (len(h.leaves) == 1 || holdsAny(spelledOut(l.name), choiceNames))
		}
		return !l.isReceipt()
	})
}

// substance counts the values of an answer beyond an acknowledgement of receipt.
func (h *harvest) substance() (n int) {
	for _, l := range h.leaves {
		if !l.isReceipt() {
			n++
		}
	}
	return n
}

// isReceipt reports whether a value only acknowledges receipt.
func (l leaf) isReceipt() bool {
	if l.bare {
		return l.text == "true" || l.text == "false"
	}
	words := wordsOf(tokens(l.text))
	return !slices.ContainsFunc(words, func(w string) bool { return !receipts[w] }) &&
		(len(words) > 0 || clean(l.text, longestQuote) == "")
}

// receipts are the words of which an acknowledgement is made.
var receipts = wordSet(`ok okay ack acknowledged acknowledge received receive accepted accept success successful done
	ready joined pending processing processed queued waiting thinking working noted message request invitation your the is was text
	call and status true none null yes sure will respond reply soon shortly later response follows`)

// mostListed is how many options a sentence names.
const mostListed = 12

// list names options, all or those of some indices: "even and odd".
func list(options []option, which []int, word string) string {
	var names []string
	for i, o := range options {
		if which == nil || slices.Contains(which, i) {
			names = append(names, clean(o.word, 20))
		}
	}
	if len(names) > mostListed {
		names = append(names[:mostListed-1], fmt.Sprintf("%d more", len(names)-mostListed+1))
	}
	return joined(names, word)
}

// joined writes some texts one after another, a word before the last.
func joined(texts []string, word string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " " + word + " " + texts[last]
}

// quote quotes the texts of an answer for a sentence, each of them once.
func (h *harvest) quote() string {
	values := h.values()
	most, texts := longestQuote/max(1, min(len(values), mostQuoted)), []string{}
	for _, l := range values[:min(len(values), mostQuoted)] {
		text := clean(l.text, most)
		if !l.bare {
			text = `"` + text + `"`
		}
		texts = append(texts, text)
	}
	if len(values) > mostQuoted {
		texts = append(texts, "more")
	}
	return joined(texts, "and")
}

// values are the distinct values of an answer, without mere acknowledgements if there are others.
func (h *harvest) values() (out []leaf) {
	more := h.substance() > 0
	for _, l := range h.leaves {
		l.name = ""
		if (!more || !l.isReceipt()) && !slices.Contains(out, l) && len(out) <= mostQuoted {
			out = append(out, l)
		}
	}
	return out
}

// clean makes one line of a text, removes tokens and terminal control sequences, and truncates it.
func clean(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text[:min(len(text), 4*most)])
	text = protocol.RedactIn(strings.ToValidUTF8(text, ""))
	return protocol.Clip(strings.Join(strings.Fields(text), " "), most)
}
