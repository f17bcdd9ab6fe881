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

// longestQuote limits the bytes of an answer that an error message quotes.
const longestQuote = 120

// mostQuoted is how many of its texts are.
const mostQuoted = 3

// objectToMove returns an error that explains why an answer is not a move, or nil for a mere acknowledgement. kind is
// the error kind for an illegal answer to that question.
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

// objectToJoin returns an error that explains why an answer to an invitation is not a join, or nil for a mere
// acknowledgement.
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

// Broken reports whether an answer begins as a JSON object or array but is not valid JSON. Such an answer is a failed
// attempt to answer, not an acknowledgement.
func Broken(answer []byte) bool { return objectToJSON(answer, "") != nil }

// objectToJSON returns an error with the position of the first JSON syntax error in an answer that begins as an object
// or array. It returns nil for valid JSON and for other text.
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

// acknowledges reports whether an answer only acknowledges receipt.
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

// receipts are the words of texts that only acknowledge receipt.
var receipts = wordSet(`ok okay ack acknowledged acknowledge received receive accepted accept success successful done
	ready joined pending processing processed queued waiting thinking working noted message request invitation your the is was text
	call and status true none null yes sure will respond reply soon shortly later response follows`)

// mostListed limits the number of options that an error message lists.
const mostListed = 12

// list joins the words of the options with the given indices, or of all if which is nil: "even and odd".
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

// joined joins texts with commas, and the last with word.
func joined(texts []string, word string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " " + word + " " + texts[last]
}

// quote returns the distinct texts of an answer as a quotation for an error message.
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

// values returns the distinct values of an answer, up to mostQuoted+1. Mere acknowledgements are left out if there are
// other values.
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

// clean converts a text to one line of at most most bytes, without access tokens and control characters.
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
