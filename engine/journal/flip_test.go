package journal

import (
	"bytes"
	"errors"
	"testing"

	"agentleague/engine"
)

var six = []string{`["one"]`, "two", `["three"]`, "four\n", `{"five":5}`, `["six"]`}

// TestEveryFlippedBitIsFound flips every bit of a journal and its head, one at a time. That an engine refuses
// such files is held byte by byte by TestEveryChangedByteIsRefusedByTheEngine.
func TestEveryFlippedBitIsFound(t *testing.T) {
	journal, head := written(six...)
	if err := verify(journal, head); err != nil {
		t.Fatalf("before: %v", err)
	}
	for _, file := range [][]byte{journal, head} {
		for i := range 8 * len(file) {
			file[i/8] ^= 1 << (i % 8)
			if err := verify(journal, head); !errors.Is(err, engine.ErrDamaged) {
				t.Errorf("bit %d of byte %d of %q: got error %v, want %v", i%8, i/8, file, err, engine.ErrDamaged)
			}
			file[i/8] ^= 1 << (i % 8)
		}
	}
}

// TestAFlippedBitAfterTheHeadFalsifiesNothing flips every bit of a line that the head had not reached when the
// process died: it is found, or the line is torn. None goes unseen, since the line's own hash covers all of it.
func TestAFlippedBitAfterTheHeadFalsifiesNothing(t *testing.T) {
	journal, _ := written(six...)
	before, head := written(six[:5]...)
	found, torn := 0, 0
	for i := 8 * len(before); i < 8*len(journal); i++ {
		journal[i/8] ^= 1 << (i % 8)
		switch err := verify(journal, head); {
		case errors.Is(err, engine.ErrDamaged):
			found++
		case errors.Is(err, errTorn):
			torn++
		default:
			t.Errorf("bit %d of byte %d: got error %v", i%8, i/8, err)
		}
		journal[i/8] ^= 1 << (i % 8)
	}
	if torn > 16 || found < 8*200 {
		t.Errorf("%d flips are found, %d tear the line", found, torn)
	}
}

// verify is ReadFile without the files.
func verify(journal, head []byte) error {
	m, ok := parseHead(head)
	if !ok {
		return engine.ErrDamaged
	}
	c := chain{path: journalFile, head: m}
	for _, err := range c.follow(bytes.NewReader(journal)) {
		if err != nil {
			return err
		}
	}
	return nil
}
