package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentleague/engine"
	"agentleague/engine/journal"
)

// A harm is something that happens to a journal that is in use.
type harm struct {
	name, what string
	do         func(t *testing.T, path string)
}

var harms = []harm{
	{"moved", "was moved or deleted", func(t *testing.T, path string) { move(t, path, path+".elsewhere") }},
	{"deleted", "was moved or deleted", remove},
	{"its folder moved", "was moved or deleted", func(t *testing.T, path string) {
		move(t, filepath.Dir(path), filepath.Dir(path)+".elsewhere")
	}},
	{"cut to nothing", "was cut short", func(t *testing.T, path string) { cutTo(t, path, 0) }},
	{"cut by a line", "was cut short", func(t *testing.T, path string) {
		lines := readLines(t, path)
		cutTo(t, path, int64(len(join(lines[:len(lines)-1]))))
	}},
	{"replaced by an empty file", "was cut short", func(t *testing.T, path string) {
		remove(t, path)
		write(t, path, "")
	}},
	{"replaced by another of its length", "is not as it was left", func(t *testing.T, path string) {
		other := bytes.Replace(read(t, path), []byte(`"timestamp":"2`), []byte(`"timestamp":"3`), 1)
		remove(t, path)
		write(t, path, string(other))
	}},
	{"replaced by a longer one", "has more in it than was written to it", func(t *testing.T, path string) {
		other := read(t, path)
		remove(t, path)
		write(t, path, string(other)+"more\n")
	}},
	{"written to by another", "has more in it than was written to it", func(t *testing.T, path string) {
		write(t, path, string(read(t, path))+"more\n")
	}},
}

func TestAJournalThatIsNotAsItWasLeftIsNotWrittenTo(t *testing.T) {
	for _, h := range harms {
		t.Run(h.name, func(t *testing.T) {
			dir := t.TempDir()
			e := open(t, dir)
			defer e.Close()
			path := journal.Path(dir, "league")
			appendAll(t, e, "league", 0, "one", "two", "three")
			mustCheck(t, e)
			whole := snapshot(t, dir)
			h.do(t, path)
			harmed := snapshot(t, dir)
			for range 2 {
				wantAway(t, e, path, h.what)
			}
			wantSame(t, dir, harmed, "a journal that is away")
			putBack(t, dir, whole)
			mustCheck(t, e)
			appendAll(t, e, "league", 3, "four")
			wantEntries(t, "put back", e.Read(t.Context(), "league", 0), "one", "two", "three", "four")
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			wantLog(t, dir, "league", "one", "two", "three", "four")
		})
	}
}

func TestAJournalThatIsMovedAndMovedBackGoesOn(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir)
	defer e.Close()
	path := journal.Path(dir, "league")
	appendAll(t, e, "league", 0, "one")
	for n := range uint64(3) {
		move(t, path, path+".elsewhere")
		wantAway(t, e, path, "was moved or deleted")
		move(t, path+".elsewhere", path)
		appendAll(t, e, "league", n+1, "more")
	}
	wantEntries(t, "moved back", e.Read(t.Context(), "league", 0), "one", "more", "more", "more")
}

// When the engine closes, it does not touch a file that has replaced a journal.
func TestClosingLeavesWhatStandsInThePlaceOfAJournal(t *testing.T) {
	for _, h := range harms {
		dir := t.TempDir()
		var out bytes.Buffer
		e, err := journal.Open(dir, journal.Options{Logger: slog.New(slog.NewTextHandler(&out, nil))})
		if err != nil {
			t.Fatal(err)
		}
		appendAll(t, e, "league", 0, "one", "two") // its head is behind
		h.do(t, journal.Path(dir, "league"))
		harmed := snapshot(t, dir)
		if err := e.Close(); err != nil {
			t.Errorf("%s: %v", h.name, err)
		}
		wantSame(t, dir, harmed, h.name)
		if h.what != "is not as it was left" && !strings.Contains(out.String(), h.what) {
			t.Errorf("%s: closing says %q", h.name, out.String())
		}
	}
}

func TestAnEmptyJournalThatIsDeletedIsMadeAnew(t *testing.T) {
	dir := t.TempDir()
	path := journal.Path(dir, "league")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, path, "")
	e := open(t, dir)
	defer e.Close()
	mustCheck(t, e)
	remove(t, path)
	appendAll(t, e, "league", 0, "one")
	if got := len(readLines(t, path)); got != 1 {
		t.Errorf("got %d lines, want 1", got)
	}
}

func TestCheckRefusesABadNameAndAClosedEngine(t *testing.T) {
	e := open(t, t.TempDir())
	if err := e.Check(t.Context(), "a/b"); !errors.Is(err, engine.ErrName) {
		t.Errorf("got %v, want %v", err, engine.ErrName)
	}
	mustCheck(t, e)
	e.Close()
	if err := e.Check(t.Context(), "league"); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("got %v, want %v", err, engine.ErrClosed)
	}
}

// wantAway fails unless every use of the log reports what happened to its file.
func wantAway(t *testing.T, e *journal.Engine, path, what string) {
	t.Helper()
	_, appending := e.Append(t.Context(), "league", 3, []byte("four"))
	_, reading := collect(e.Read(t.Context(), "league", 0))
	for use, err := range map[string]error{"append": appending, "read": reading, "check": e.Check(t.Context(), "league")} {
		var away *engine.AwayError
		if !errors.As(err, &away) || away.Place != path || !strings.HasPrefix(away.What, what) {
			t.Errorf("%s: got %v, want that %s %s", use, err, path, what)
		}
	}
}

func mustCheck(t *testing.T, e *journal.Engine) {
	t.Helper()
	if err := e.Check(t.Context(), "league"); err != nil {
		t.Fatal(err)
	}
}

// wantSame fails if a file below dir is not as it was; the lock is the engine's own.
func wantSame(t *testing.T, dir string, was map[string][]byte, what string) {
	t.Helper()
	is := snapshot(t, dir)
	for name := range is {
		if _, old := was[name]; !old {
			t.Errorf("%s: %s was made", what, name)
		}
	}
	for name, content := range was {
		if !strings.HasSuffix(name, ".lock") && !bytes.Equal(content, is[name]) {
			t.Errorf("%s: %s was changed", what, name)
		}
	}
}

func putBack(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, ".lock") {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, string(content))
	}
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(fmt.Errorf("remove: %w", err))
	}
}

func cutTo(t *testing.T, path string, size int64) {
	t.Helper()
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}
