package jetstream_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentleague/engine"
	"agentleague/engine/jetstream"
	"agentleague/rpc/rpctest"
)

// entries is how long a log is before it is damaged.
const entries = 60

// fill writes a log and closes the handle, which brings its head up to date.
func fill(t *testing.T, e engine.Engine, log string) {
	t.Helper()
	for prev := range uint64(entries) {
		if _, err := e.Append(t.Context(), log, prev, fmt.Appendf(nil, `["entry %d"]`, prev+1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

// holding are the files of a node's store with an entry: of the stream, and of the log of the nodes' agreement.
func holding(t *testing.T, folder, text string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // the node runs, and has no more need of it
			return nil
		}
		if err != nil || !strings.HasSuffix(path, ".blk") {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(text)) {
			paths = append(paths, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// flip changes one bit of an entry in every file of a node's store that holds it. It returns how many files that were.
func flip(t *testing.T, folder, text string) (files int) {
	t.Helper()
	for _, path := range holding(t, folder, text) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b[bytes.Index(b, []byte(text))+2] ^= 1
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		files++
	}
	return files
}

// A bit that flips on every node, or on one, is never a silent loss: the log is whole, or it is refused by name, and
// nothing is written a second time at a place where something was acknowledged.
func TestLongFlippedBitsAreNeverASilentLoss(t *testing.T) {
	for name, c := range map[string]struct {
		servers, damaged int
		entries          []int
	}{
		"one server":           {1, 1, []int{1, 30, entries}},
		"one of three servers": {3, 1, []int{30}},
		"two of three servers": {3, 2, []int{entries}},
		"all of three servers": {3, 3, []int{1, 30}},
	} {
		for _, entry := range c.entries {
			t.Run(fmt.Sprintf("%s, entry %d", name, entry), func(t *testing.T) {
				cl := start(t, c.servers)
				o := cl.options("flip")
				o.Partitions = 1
				fill(t, cl.open(o), "league")
				for _, opts := range cl.opts { // two of three acknowledge; the third may be behind
					rpctest.Eventually(t, "the last entry on every server", func() bool {
						return len(holding(t, opts.StoreDir, fmt.Sprintf(`"entry %d"`, entries))) > 0
					})
				}
				cl.stopAll()
				files := 0
				for _, opts := range cl.opts[:c.damaged] {
					files += flip(t, opts.StoreDir, fmt.Sprintf(`"entry %d"`, entry))
				}
				if files < c.damaged {
					t.Fatalf("the entry was found in %d files, want at least %d", files, c.damaged)
				}
				cl.startAll()
				o = cl.options("flip")
				o.Partitions = 1
				wholeOrRefused(t, cl.open(o))
			})
		}
	}
}

// wholeOrRefused checks that a log either has all its entries and accepts more, or is refused.
func wholeOrRefused(t *testing.T, e engine.Engine) {
	t.Helper()
	n := 0
	var failed error
	for entry, err := range e.Read(t.Context(), "league", 0) {
		if failed = err; err != nil {
			break
		}
		n++
		if want := fmt.Sprintf(`["entry %d"]`, n); string(entry.Data) != want {
			t.Fatalf("entry %d is %s, want %s", n, entry.Data, want)
		}
	}
	var damage *jetstream.DamageError
	switch {
	case failed == nil && n == entries:
		if at, err := e.Append(t.Context(), "league", entries, []byte(`["more"]`)); err != nil || at.Seq != entries+1 {
			t.Fatalf("append to a whole log: got %d and %v", at.Seq, err)
		}
		t.Log("whole")
	case errors.As(failed, &damage):
		t.Logf("refused: %v", failed)
		for prev := range uint64(entries + 1) {
			if _, err := e.Append(t.Context(), "league", prev, []byte(`["second"]`)); err == nil {
				t.Fatalf("an entry was acknowledged after %d in a damaged log", prev)
			}
		}
	default:
		t.Fatalf("read %d entries of %d, then: %v", n, entries, failed)
	}
}
