package journal

import (
	"fmt"
	"os"
	"sync"
	"testing"
)

// TestKeepHeadCoversTheNewestEntry reads the head from disk after each KeepHead, while other heads are written in the
// background.
func TestKeepHeadCoversTheNewestEntry(t *testing.T) {
	dir := t.TempDir()
	e, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	l, err := e.log("l")
	if err != nil {
		t.Fatal(err)
	}
	var others sync.WaitGroup
	for seq := range uint64(50) {
		if _, err := e.Append(t.Context(), "l", seq, fmt.Appendf(nil, "[%d]", seq)); err != nil {
			t.Fatal(err)
		}
		others.Go(l.keepHead)
		if err := e.KeepHead(t.Context(), "l"); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(HeadPath(Path(dir, "l")))
		if head, ok := parseHead(text); err != nil || !ok || head.seq != seq+1 {
			t.Fatalf("the head is %s, %v; want it at %d", text, err, seq+1)
		}
	}
	others.Wait()
}

// TestReadToEndReportsTheEnd reads a journal with a head that lags, and with bytes behind its last line.
func TestReadToEndReportsTheEnd(t *testing.T) {
	dir := t.TempDir()
	e, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for seq := range uint64(3) {
		if _, err := e.Append(t.Context(), "l", seq, []byte("[1]")); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	name := Path(dir, "l")
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tail string
		torn bool
	}{{"", false}, {"{", true}, {"\x00\x00", true}, {"\x00\n", true}} {
		if err := os.WriteFile(name, append(whole[:len(whole):len(whole)], c.tail...), 0o644); err != nil {
			t.Fatal(err)
		}
		var end End
		entries := 0
		for _, err := range ReadToEnd(os.DirFS(dir), "leagues/l/journal.jsonl", &end) {
			if err != nil {
				t.Fatal(err)
			}
			entries++
		}
		if want := (End{Head: 3, Torn: c.torn}); end != want || entries != 3 {
			t.Errorf("after %q: %+v and %d entries, want %+v and 3", c.tail, end, entries, want)
		}
	}
}
