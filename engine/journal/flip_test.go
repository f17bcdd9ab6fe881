package journal

import (
	"bytes"
	"errors"
	"testing"

	"agentleague/engine"
)

// TestEveryFlippedBitIsFound flips every bit of a journal and its head, one at a time. That an engine refuses
// such files is held byte by byte by TestEveryChangedByteIsRefusedByTheEngine.
func TestEveryFlippedBitIsFound(t *testing.T) {
	batches := []string{`["one"]`, "two", `["three"]`, "four\n", `{"five":5}`, `["six"]`}
	journal, head := written(batches...)
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

// verify is what ReadFile does, less the files.
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
