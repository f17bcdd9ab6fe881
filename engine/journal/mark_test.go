package journal_test

import (
	"os"
	"strings"
	"testing"

	"agentleague/engine/journal"
)

// TestAMarkIsTheLineOnDisk checks that the mark from Append and from every reader equals the SHA-256 of the line, the
// hash that the next line has of it, and the head of the last line.
func TestAMarkIsTheLineOnDisk(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir)
	var hashes []string
	for i, batch := range []string{`[{"kind":"Created"}]`, "not JSON", `{"a":1}`} {
		at, err := e.Append(t.Context(), "league", uint64(i), []byte(batch))
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, at.Hash)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	lines := readLines(t, journal.Path(dir, "league"))
	for i, line := range lines {
		if got, want := hashes[i], sum(line); got != want {
			t.Errorf("entry %d: got hash %s, want that of its line, %s", i+1, got, want)
		}
		if i > 0 && !strings.Contains(line, `"prev":"`+hashes[i-1]+`"`) {
			t.Errorf("line %d does not name the hash of line %d, %s", i+1, i, hashes[i-1])
		}
	}
	if head := string(read(t, headOf(dir, "league"))); !strings.Contains(head, hashes[2]) {
		t.Errorf("the head is %q, want the hash of line 3, %s", head, hashes[2])
	}
	i := 0
	for entry, err := range journal.ReadFS(os.DirFS(dir), "leagues/league/journal.jsonl") {
		if err != nil || entry.Hash != hashes[i] {
			t.Errorf("read entry %d: got hash %s and error %v, want %s", i+1, entry.Hash, err, hashes[i])
		}
		i++
	}
}
