package dialect

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"agentleague/protocol"
)

// deepest limits the depth to which an answer is searched.
const deepest = 16

// mostLeaves limits the number of values that are read from one answer.
const mostLeaves = 4096

// A leaf is one scalar value of an answer: a text, a number, true or false.
type leaf struct {
	name string // of the member that holds it; "": it stands alone
	text string
	bare bool // it is no text
}

// A harvest holds the values of an answer, without ids, times and copies of the question.
type harvest struct {
	leaves []leaf
	page   bool          // it is a page for people
	cut    bool          // the answer has more values than were read
	signed bool          // there is a signature in it
	echoes map[leaf]bool // the values of the question
	rival  string        // the opponent's id in the question, in lower case
}

// gather collects the values of an answer to the message asked.
func gather(answer []byte, asked protocol.Message) *harvest {
	h := &harvest{echoes: map[leaf]bool{}}
	if question, err := protocol.Encode(asked); err == nil {
		sent := &harvest{}
		sent.everything("", question, 0)
		for _, l := range sent.leaves {
			h.echoes[l] = true
			if l.name == "opponent_id" {
				h.rival = strings.ToLower(l.text)
			}
		}
	}
	answer = []byte(strings.TrimSpace(strings.ToValidUTF8(string(withoutEvents(answer)), "\uFFFD")))
	if json.Valid(answer) {
		h.walk("", answer, 0)
	} else {
		h.say("", string(answer), 0)
	}
	return h
}

// walk collects the values below one value of an answer.
func (h *harvest) walk(name string, raw json.RawMessage, depth int) {
	if depth > deepest || len(h.leaves) >= mostLeaves {
		h.cut = true
		return
	}
	if len(raw) == 0 {
		return
	}
	switch raw[0] {
	case '{':
		h.walkObject(raw, depth)
	case '[':
		h.each(raw, func(v json.RawMessage) { h.walk(name, v, depth+1) })
	case '"':
		var text string
		_ = json.Unmarshal(raw, &text)
		h.say(name, text, depth)
	case 'n':
	default:
		h.add(leaf{name, string(raw), true})
	}
}

// walkObject collects the values of an object. It skips errors, and members that cannot hold a move.
func (h *harvest) walkObject(raw json.RawMessage, depth int) {
	f, ok := protocol.ParseFields(raw)
	if !ok || (place{raw, f}).isError() || (place{raw, f}).complains() {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		words := spelledOut(name)
		switch v := f[name]; {
		case name == "proof":
			h.signed = h.signed || f.Has(name)
		case name == "message_type":
		case holdsAny(words, aboutOthers):
		case v[0] != '{' && v[0] != '[' && namesNoMove(words):
		default:
			h.walk(name, v, depth+1)
		}
	}
}

// say adds a text; if the text contains JSON or tags, it adds the values inside and the text around them.
func (h *harvest) say(name, text string, depth int) {
	text = strings.TrimSpace(text)
	if tag, inside, outside, ok := tagged(text); ok && depth < deepest {
		h.say(tag, inside, depth+1)
		h.say(name, outside, depth+1)
		return
	}
	inner, around, ok := structured(text)
	if ok {
		h.walk(name, inner, depth+1)
		text = around
	}
	switch {
	case strings.HasPrefix(text, "<"):
		h.page = true
	case len(text) > longestText:
		h.cut = true
	case text != "":
		h.add(leaf{name, text, false})
	}
}

// add appends a value unless the question has the same value under the same name.
func (h *harvest) add(l leaf) {
	if !h.echoes[l] {
		h.leaves = append(h.leaves, l)
	}
}

// each calls f with every element of an array.
func (h *harvest) each(raw json.RawMessage, f func(json.RawMessage)) {
	var list []json.RawMessage
	_ = json.Unmarshal(raw, &list)
	for _, v := range list {
		f(v)
	}
}

// everything collects all values regardless of their names. It is used for the question.
func (h *harvest) everything(name string, raw json.RawMessage, depth int) {
	switch {
	case depth > deepest || len(raw) == 0:
	case raw[0] == '{':
		f, _ := protocol.ParseFields(raw)
		for name, v := range f {
			h.everything(name, v, depth+1)
		}
	case raw[0] == '[':
		h.each(raw, func(v json.RawMessage) { h.everything(name, v, depth+1) })
	default:
		h.walk(name, raw, depth)
	}
}
