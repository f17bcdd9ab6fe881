package enginetest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"agentleague/engine"
)

// markLaws are about the hash of an entry, which players sign.
var markLaws = []law{
	{"the hash of an append is the one that is read", hashIsRead},
	{"a hash tells all that came before", hashTellsBefore},
}

// The hash that an append returns is sent to players, which compare the log with it later: it must be the one that
// readers find.
func hashIsRead(r *rig) {
	a, b := r.pair()
	var want []engine.Mark
	for i := range 5 {
		want = append(want, r.mark(a, "league", uint64(i), fmt.Sprintf("batch %d", i)))
	}
	r.marked(a, 0, want)
	r.marked(b, 3, want[2:])
	r.must("close", a.Close())
	if a != b {
		r.must("close", b.Close())
	}
	r.marked(r.open(), 0, want)
}

// A hash stands for the whole log up to it, so that changing, swapping, dropping or joining earlier entries changes
// it.
func hashTellsBefore(r *rig) {
	e := r.open()
	seen := map[string]string{}
	for log, batches := range map[string][]string{
		"as_it_was": {"one", "two", "three"},
		"changed":   {"ONE", "two", "three"},
		"swapped":   {"two", "one", "three"},
		"shorter":   {"two", "three"},
		"joined":    {"onetwo", "three"},
	} {
		var last engine.Mark
		for i, batch := range batches {
			last = r.mark(e, log, uint64(i), batch)
		}
		if other, met := seen[last.Hash]; met {
			r.Errorf("the last entries of %s and %s have one hash, %s", log, other, last.Hash)
		}
		seen[last.Hash] = log
	}
}

// marked fails the law unless the log's entries from sequence from on stand at these marks.
func (r *rig) marked(e engine.Engine, from uint64, want []engine.Mark) {
	r.Helper()
	got, err := collect(e.Read(r.Context(), "league", from))
	r.must("read", err)
	if len(got) != len(want) {
		r.Fatalf("read from %d: got %d entries, want %d", from, len(got), len(want))
	}
	for i, w := range want {
		if got[i].Mark != w {
			r.Errorf("read from %d: got an entry at %+v, want %+v", from, got[i].Mark, w)
		}
		if sum, err := hex.DecodeString(w.Hash); err != nil || len(sum) != sha256.Size || hex.EncodeToString(sum) != w.Hash {
			r.Errorf("entry %d: its hash is %q, want a SHA-256 in lower-case hex", w.Seq, w.Hash)
		}
		if sum := sha256.Sum256(got[i].Text); w.Seq == 1 && hex.EncodeToString(sum[:]) != w.Hash {
			r.Errorf("the first entry has the hash %s, and the SHA-256 of its text is %x", w.Hash, sum)
		}
	}
}
