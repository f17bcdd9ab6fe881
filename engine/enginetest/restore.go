package enginetest

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"time"

	"agentleague/engine"
	"agentleague/engine/line"
)

// These laws are for engines that are [engine.Restorer], which an engine around another need not be.
var restoreLaws = []law{
	{"a restored log keeps its hashes and goes on", restoredGoesOn},
	{"a log that is not whole is not restored", damagedIsNotRestored},
	{"a log is restored over its own beginning alone", restoredOverItsBeginning},
	{"a secret is restored once", secretIsRestoredOnce},
}

// A league that moves is the same league: marks noted by players stay valid, and its manager continues.
func restoredGoesOn(r *rig) {
	e := r.open()
	to, ok := e.(engine.Restorer)
	if !ok {
		return
	}
	texts, want := linesOf(`["one"]`, "two\n", `["three"]`)
	end, err := to.Restore(r.Context(), "league", inOneBuffer(texts))
	r.must("restore", err)
	if end != want[2] {
		r.Errorf("restore ends at %+v, want %+v", end, want[2])
	}
	want = append(want, r.mark(e, "league", 3, "four"))
	r.marked(e, 0, want)
	r.must("close", e.Close())
	again := r.open()
	r.marked(again, 0, want)
	r.reads(again, "league", 0, `["one"]`, "two\n", `["three"]`, "four")
}

// A line that does not follow from the first is detected before anything is written.
func damagedIsNotRestored(r *rig) {
	e := r.open()
	to, ok := e.(engine.Restorer)
	if !ok {
		return
	}
	texts, _ := linesOf(`["one"]`, `["two"]`, `["three"]`)
	changed := slices.Clone(texts)
	changed[1] = bytes.Replace(changed[1], []byte("two"), []byte("TWO"), 1)
	others, _ := linesOf(`["other"]`, `["two"]`)
	for what, lines := range map[string][][]byte{
		"a changed line": changed, "a line of another log": {texts[0], others[1]}, "a lost line": {texts[0], texts[2]},
		"a lost beginning": texts[1:], "no line": {texts[0], []byte("{}")},
	} {
		_, err := to.Restore(r.Context(), "league", inOneBuffer(lines))
		r.refused("restore "+what, err, engine.ErrDamaged)
	}
	_, err := to.Restore(r.Context(), "league", inOneBuffer(nil))
	r.refused("restore nothing", err, engine.ErrEmpty)
	r.reads(e, "league", 0)
}

// A restore that broke off is finished by the next, and nothing is ever written over another log.
func restoredOverItsBeginning(r *rig) {
	e := r.open()
	to, ok := e.(engine.Restorer)
	if !ok {
		return
	}
	texts, want := linesOf(`["one"]`, `["two"]`, `["three"]`)
	for _, n := range []int{1, 3, 3} {
		_, err := to.Restore(r.Context(), "league", inOneBuffer(texts[:n]))
		r.must(fmt.Sprintf("restore %d lines", n), err)
		r.marked(e, 0, want[:n])
	}
	others, _ := linesOf(`["one"]`, `["other"]`, `["three"]`, `["four"]`)
	for what, lines := range map[string][][]byte{"less than is there": texts[:2], "another log": others} {
		_, err := to.Restore(r.Context(), "league", inOneBuffer(lines))
		r.refused("restore "+what, err, engine.ErrTaken)
	}
	r.marked(e, 0, want)
}

// The secrets of a league move with it, and never replace others.
func secretIsRestoredOnce(r *rig) {
	e := r.open()
	to, ok := e.(engine.Restorer)
	if !ok {
		return
	}
	secret := bytes.Repeat([]byte{7}, engine.SecretSize)
	for range 2 {
		r.must("put a secret", to.PutSecret(r.Context(), "draw", secret))
	}
	made := r.secret(e, "token")
	r.must("put a secret that is there", to.PutSecret(r.Context(), "token", made))
	for _, name := range []string{"draw", "token"} {
		other := bytes.Repeat([]byte{8}, engine.SecretSize)
		r.refused("put another secret", to.PutSecret(r.Context(), name, other), engine.ErrTaken)
	}
	if to.PutSecret(r.Context(), "short", secret[1:]) == nil {
		r.Error("a secret that is too short is taken")
	}
	r.must("close", e.Close())
	again := r.open()
	if !bytes.Equal(r.secret(again, "draw"), secret) || !bytes.Equal(r.secret(again, "token"), made) {
		r.Error("a secret is another after reopening")
	}
}

// linesOf is batches as another engine would have kept them, and where each stands.
func linesOf(batches ...string) (texts [][]byte, marks []engine.Mark) {
	var end line.Hash
	for i, b := range batches {
		text := line.Append(nil, uint64(i)+1, end, time.Unix(1e9, 0), line.Ready([]byte(b)))
		end = line.Of(text)
		texts, marks = append(texts, text), append(marks, engine.Mark{Seq: uint64(i) + 1, Hash: end.String()})
	}
	return texts, marks
}

// inOneBuffer yields the lines in one reused buffer, as a reader of a file does. A line is valid until the next one.
func inOneBuffer(lines [][]byte) iter.Seq2[[]byte, error] {
	var buffer []byte
	return func(yield func([]byte, error) bool) {
		for _, text := range lines {
			if buffer = append(buffer[:0], text...); !yield(buffer, nil) {
				return
			}
		}
	}
}
