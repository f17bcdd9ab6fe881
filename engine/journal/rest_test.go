package journal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentleague/engine/journal"
)

// A log that rests has no file open and its head up to date; it goes on where it was.
func TestALogThatRestsGoesOnWhereItWas(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir)
	defer e.Close()
	appendAll(t, e, "league", 0, "one", "two")
	if err := e.Rest(t.Context(), "league"); err != nil {
		t.Fatal(err)
	}
	if names := openFiles(t, dir); names != "" {
		t.Errorf("still open: %s", names)
	}
	head := string(read(t, filepath.Join(dir, "leagues", "league", "journal.head")))
	if !strings.Contains(head, `"seq":2`) {
		t.Errorf("the head is %s", head)
	}
	appendAll(t, e, "league", 2, "three")
	n := 0
	for _, err := range e.Read(t.Context(), "league", 0) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != 3 {
		t.Errorf("got %d entries, want 3", n)
	}
	if err := e.Rest(t.Context(), "unknown"); err != nil {
		t.Errorf("a log that is not open: %v", err)
	}
}

// A change of a journal while it is closed is detected like one of an open journal.
func TestALogThatIsMovedWhileItRestsIsAway(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir)
	defer e.Close()
	appendAll(t, e, "league", 0, "one")
	if err := e.Rest(t.Context(), "league"); err != nil {
		t.Fatal(err)
	}
	path := journal.Path(dir, "league")
	move(t, path, path+".elsewhere")
	if err := e.Check(t.Context(), "league"); err == nil || !strings.Contains(err.Error(), "was moved or deleted") {
		t.Errorf("got %v", err)
	}
	move(t, path+".elsewhere", path)
	appendAll(t, e, "league", 1, "two")
}

// openFiles lists the journals below a folder that this process has open, on systems that report it.
func openFiles(t *testing.T, dir string) (names string) {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if name, err := os.Readlink(link); err == nil && strings.HasPrefix(name, dir) &&
			strings.HasSuffix(name, ".jsonl") {
			names += name + " "
		}
	}
	return names
}
