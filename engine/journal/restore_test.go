package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agentleague/engine"
)

// A journal that is restored on a disk that fails is not there, or goes on to be: never a part of it.
func TestARestoreThatFailsLeavesAllOrNothing(t *testing.T) {
	text, lines := twoLines(t)
	for _, op := range []string{"open", "write", "sync", "replace"} {
		dir, d := t.TempDir(), &faulty{}
		e, err := open(dir, Options{}, d)
		if err != nil {
			t.Fatal(err)
		}
		failed := false
		d.failing(func(is, path string) error {
			if is == op && strings.HasSuffix(path, journalFile) && !failed {
				failed = true
				return syscall.EIO
			}
			return nil
		})
		_, err = e.Restore(t.Context(), "league", lines)
		d.failing(nil)
		if failed != (err != nil) || failed && !errors.Is(err, syscall.EIO) {
			t.Errorf("%s: failed is %v, got error %v", op, failed, err)
		}
		if got, err := os.ReadFile(Path(dir, "league")); err == nil && len(got) > 0 && string(got) != text {
			t.Errorf("%s: got file %q, want all of it or nothing", op, got)
		}
		if at, err := e.Restore(t.Context(), "league", lines); err != nil || at.Seq != 2 {
			t.Errorf("%s: once more: got %+v, %v", op, at, err)
		}
		if _, err := e.Append(t.Context(), "league", 2, []byte("three")); err != nil {
			t.Errorf("%s: %v", op, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestALogIsNotRestoredIntoADamagedOne(t *testing.T) {
	_, lines := twoLines(t)
	dir := t.TempDir()
	e, err := open(dir, Options{}, osDisk{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	os.MkdirAll(filepath.Dir(Path(dir, "x")), 0o755)
	os.WriteFile(Path(dir, "x"), []byte("{}\n"), 0o644)
	if _, err := e.Restore(t.Context(), "x", lines); !errors.Is(err, engine.ErrDamaged) {
		t.Errorf("got %v, want %v", err, engine.ErrDamaged)
	}
}

// twoLines is a journal of two lines, as text and as lines.
func twoLines(t *testing.T) (text string, lines func(func([]byte, error) bool)) {
	t.Helper()
	dir := t.TempDir()
	e, err := open(dir, Options{}, osDisk{})
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range []string{"one", `["two"]`} {
		if _, err := e.Append(t.Context(), "from", uint64(i), []byte(b)); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(Path(dir, "from"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b), func(yield func([]byte, error) bool) {
		for line := range strings.Lines(string(b)) {
			if !yield([]byte(strings.TrimSuffix(line, "\n")), nil) {
				return
			}
		}
	}
}
