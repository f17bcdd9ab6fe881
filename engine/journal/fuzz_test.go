package journal

import (
	"bytes"
	"errors"
	"testing"
	"testing/fstest"
	"time"

	"agentleague/engine"
	"agentleague/engine/line"
)

// written is a journal of these batches and its last head.
func written(batches ...string) (journal, head []byte) {
	var end mark
	for _, batch := range batches {
		text := line.Append(nil, end.seq+1, end.hash, time.Unix(1e9, 0), line.Ready([]byte(batch)))
		end = mark{seq: end.seq + 1, hash: line.Of(text)}
		journal = append(append(journal, text...), '\n')
	}
	return journal, appendHead(nil, end)
}

// FuzzRead holds that no file makes reading panic or takes it for sound unless its places are.
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
	})
}
