package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Some file systems have no links. There a file is renamed into its place, and still replaces none.
func TestAFileIsCreatedWhereThereAreNoLinks(t *testing.T) {
	dir := t.TempDir()
	noLinks := func(string, string) error { return errors.ErrUnsupported }
	path := filepath.Join(dir, "x.json")
	for _, c := range []struct {
		text string
		want error
	}{{"first", nil}, {"second", fs.ErrExist}} {
		temp, err := writeTemp(path, []byte(c.text), 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if err := publish(temp, path, noLinks); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.text, err, c.want)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "first" {
		t.Errorf("got %s, %v; want the first", got, err)
	}
}

func TestNothingIsLeftOfAFileThatCannotBeCreated(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.json")
	for range 2 {
		if err := create(path, nil, 0o644); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
	if err := create(filepath.Join(dir, "no", "x.json"), nil, 0o644); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that there is no such folder", err)
	}
	if got, err := os.ReadDir(dir); err != nil || len(got) != 1 {
		t.Errorf("got %v, %v; want one file", got, err)
	}
}

func TestAFolderThatIsGoneCannotBeSynced(t *testing.T) {
	if err := syncFolder(filepath.Join(t.TempDir(), "no")); err == nil && runtime.GOOS != "windows" {
		t.Error("got no error")
	}
}
