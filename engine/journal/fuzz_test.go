package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"agentleague/engine"
)

// written is a journal of these batches and its last head.
func written(batches ...string) (journal, head []byte) {
	var end mark
	for _, batch := range batches {
		line := appendLine(nil, end.seq+1, end.hash, time.Unix(1e9, 0), newPayload([]byte(batch)))
		end = mark{seq: end.seq + 1, hash: sha256.Sum256(line)}
		journal = append(append(journal, line...), '\n')
	}
	return journal, appendHead(nil, end)
}

// FuzzRead holds that no file makes reading panic or takes it for sound unless every byte is as it would be
// written.
func FuzzRead(f *testing.F) {
	journal, head := written(`["one"]`, "two\n", `{"three":3}`)
	none := appendHead(nil, mark{})
	f.Add(journal, head)
	f.Add(journal, none)
	f.Add(journal[:len(journal)-5], none)
	f.Add(bytes.Replace(journal, []byte("o"), []byte("\x00"), 1), none)
	f.Add(journal[:bytes.IndexByte(journal, '\n')+1], none)
	f.Add([]byte{}, none)
	f.Add([]byte("{}\n\n"), []byte("{}"))
	f.Fuzz(func(t *testing.T, journal, head []byte) {
		// on a disk it would do little else than write
		files := fstest.MapFS{journalFile: {Data: journal}, headFile: {Data: head}}
		var last uint64
		for e, err := range ReadFS(files, journalFile) {
			if err != nil && !errors.Is(err, engine.ErrDamaged) {
				t.Fatalf("got error %v, want %v", err, engine.ErrDamaged)
			}
			if err == nil && e.Seq != last+1 {
				t.Fatalf("got entry %d after %d", e.Seq, last)
			}
			last = e.Seq
		}
		if m, ok := parseHead(head); ok && !bytes.Equal(appendHead(nil, m), head) {
			t.Errorf("head %q would be written %q", head, appendHead(nil, m))
		}
		for line := range bytes.SplitSeq(journal, []byte("\n")) {
			rewrite(t, line)
		}
	})
}

// rewrite wants a line that can be read to be the one that would be written.
func rewrite(t *testing.T, line []byte) {
	r, err := parseLine(line)
	if err != nil {
		return
	}
	p := newPayload(r.payload)
	p.plain = bytes.Contains(line, slices.Concat([]byte(`Z","events":`), r.payload, []byte(sealed)))
	again := appendLine(nil, r.seq, r.prev, time.Time{}, p)
	at := bytes.Index(again, []byte("0001-01-01T"))
	copy(again[at:at+len(stamp)], line[at:])
	sum := sha256.Sum256(again[:len(again)-sealSize])
	hex.Encode(again[len(again)-sealSize+len(sealed):], sum[:])
	if !bytes.Equal(again, line) {
		t.Errorf("%q would be written %q", line, again)
	}
}

// FuzzLine holds that any batch comes back from its line.
func FuzzLine(f *testing.F) {
	for _, batch := range []string{"x", `["one"]`, "two\n", ` {}`, "\x00", `"\u0000"`, `{"a":1}}`, "[1]\r"} {
		f.Add([]byte(batch))
	}
	f.Fuzz(func(t *testing.T, batch []byte) {
		line := appendLine(nil, 7, hash{1}, time.Now(), newPayload(batch))
		if bytes.ContainsAny(line, "\n\x00") {
			t.Fatalf("line %q is not one line of text", line)
		}
		r, err := parseLine(line)
		if err != nil || r.seq != 7 || r.prev != (hash{1}) || !bytes.Equal(r.payload, batch) {
			t.Errorf("got %+v and error %v, want payload %q", r, err, batch)
		}
	})
}
