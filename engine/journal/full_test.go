package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"agentleague/engine"
)

func TestEveryWayOfHavingNoRoomIsTold(t *testing.T) {
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT, io.ErrShortWrite} {
		for _, op := range []string{"write", "sync", "replace"} {
			dir := t.TempDir()
			e, d := openFaulty(t, dir, Options{})
			d.failing(on(cause, op))
			_, err := e.Append(t.Context(), "league", 0, []byte("no room"))
			var full *engine.FullError
			if !errors.As(err, &full) || full.Place != "the disk that holds "+dir || !errors.Is(err, cause) {
				t.Errorf("%v in %s: got %v, want a FullError that names %s", cause, op, err, dir)
			}
			d.failing(nil)
			mustAppend(t, e, 0, "one")
		}
	}
}

func TestAnotherFailureIsNotAFullDisk(t *testing.T) {
	e, d := openFaulty(t, t.TempDir(), Options{})
	d.failing(on(syscall.EIO, "write"))
	_, err := e.Append(t.Context(), "league", 0, []byte("x"))
	if errors.As(err, new(*engine.FullError)) || !errors.Is(err, syscall.EIO) {
		t.Errorf("got %v, want only %v", err, syscall.EIO)
	}
}

// A disk that takes one more line and no more is still full: the log would stop and go with every entry.
func TestAFullDiskHasToHaveRoomToSpare(t *testing.T) {
	dir := t.TempDir()
	e, d := openFaulty(t, dir, Options{})
	mustAppend(t, e, 0, "one")
	d.failing(on(syscall.ENOSPC, "write"))
	if _, err := e.Append(t.Context(), "league", 1, []byte("no room")); err == nil {
		t.Fatal("a full disk takes an entry")
	}
	var tries atomic.Int64
	d.failing(func(op, path string) error {
		if op == "replace" && strings.HasSuffix(path, roomFile) {
			tries.Add(1)
			return syscall.ENOSPC
		}
		return nil
	})
	for n := range 3 {
		if _, err := e.Append(t.Context(), "league", 1, []byte("fits")); !errors.As(err, new(*engine.FullError)) ||
			tries.Load() != int64(n+1) {
			t.Errorf("got %v after %d looks for room, want a FullError after %d", err, tries.Load(), n+1)
		}
	}
	wantTexts(t, e, "one")
	d.failing(nil)
	mustAppend(t, e, 1, "two")
	d.failing(on(syscall.ENOSPC, "replace"))
	mustAppend(t, e, 2, "three") // no room is looked for any more
	d.failing(nil)
	wantFiles(t, filepath.Dir(Path(dir, "league")))
}

// wantFiles fails if a folder of a log holds more than the log.
func wantFiles(t *testing.T, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != journalFile && e.Name() != headFile {
			t.Errorf("%s is left behind", e.Name())
		}
	}
}

func TestWhatAProcessThatDiedLeftOnTheWayIsRemoved(t *testing.T) {
	dir := t.TempDir()
	e, _ := openFaulty(t, dir, Options{})
	mustAppend(t, e, 0, "one")
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Dir(Path(dir, "league"))
	for n, name := range []string{"." + headFile + "123", roomFile, "." + roomFile + "123"} {
		if err := os.WriteFile(filepath.Join(folder, name), fmt.Append(nil, n), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e, _ = openFaulty(t, dir, Options{})
	wantTexts(t, e, "one")
	wantFiles(t, folder)
}
