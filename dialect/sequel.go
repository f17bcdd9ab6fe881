package dialect

import (
	"slices"
	"strings"

	"agentleague/protocol"
)

// A Sequel tells whether another answer can be expected after one that [Sense] objects to.
type Sequel int

// The possible continuations of an unreadable answer.
const (
	Possible Sequel = iota // it may be a receipt in unknown words
	Promised               // it announces another answer
	Unlikely               // it is meant as the answer: it chooses, but nothing that was offered
)

// SequelOf returns whether another answer can be expected after one that [Sense] objects to. "I choose blue" and
// {"parity_choice":"blue"} are final, although illegal; "Thank you, I will choose soon" promises another answer.
func SequelOf(asked protocol.Message, answer []byte) Sequel {
	h := gather(answer, asked)
	switch {
	case Broken(answer):
		return Unlikely
	case slices.ContainsFunc(h.leaves, leaf.promises):
		return Promised
	case len(optionsOf(asked)) > 0 && slices.ContainsFunc(h.leaves, leaf.attempts):
		return Unlikely
	}
	return Possible
}

// promises reports whether a value announces another answer, or is a progress report.
func (l leaf) promises() bool {
	return !l.bare && holdsAny(wordsOf(tokens(l.text)), promising)
}

// longestAttempt limits the number of words of a sentence that counts as a choice.
const longestAttempt = 12

// attempts reports whether a value is meant as a choice: it is in a member named for a choice, or it is a sentence in
// which the speaker chooses.
func (l leaf) attempts() bool {
	named := holdsAny(spelledOut(l.name), attemptNames)
	if l.bare {
		return named && isWhole(l.text)
	}
	words := wordsOf(tokens(l.text))
	switch {
	case l.isReceipt() || len(words) > longestAttempt || strings.Contains(l.text, "?"):
		return false
	case named && len(words) <= 3:
		return true
	}
	return holdsAny(words, ownWords) && holdsAny(words, attempting)
}

var (
	// promising are words of a speaker that announces an answer.
	promising = wordSet(`will i'll we'll shall soon shortly later wait waiting moment momentarily second seconds minute
		thinking think considering deciding computing calculating evaluating working processing process progress queue queued
		enqueued pending scheduled dispatched background async asynchronous asynchronously callback follow follows following
		next being started starting received noted`)
	// attemptNames are words in names of members that hold only a choice.
	attemptNames = wordSet("choice chosen parity pick picked selection selected cell square guess")
	// attempting are words of a speaker that makes a choice.
	attempting = wordSet("choose chose chosen choice pick picked select selected move answer play go take bet")
)
