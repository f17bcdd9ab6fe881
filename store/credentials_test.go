package store_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestTokensForServersAreKeptForTheirOwnerAlone(t *testing.T) {
	t.Parallel()
	root := open(t)
	b := root.Credentials()
	const here, there = "http://localhost:9101/mcp", "http://localhost:9102/mcp"
	if got := b.Of(here); got != "" {
		t.Errorf("none was given: got %q", got)
	}
	if err := b.Offer(here, "first-token"); err != nil {
		t.Fatal(err)
	}
	if b.Of(here) != "first-token" || b.Of(there) != "" {
		t.Errorf("offered: got %q and %q", b.Of(here), b.Of(there))
	}
	if err := b.Keep(here); err != nil {
		t.Fatal(err)
	}
	if err := b.Offer(here, "second-token"); err != nil || b.Of(here) != "second-token" {
		t.Errorf("another was offered: %v, got %q", err, b.Of(here))
	}
	if err := b.Withdraw(here); err != nil || b.Of(here) != "first-token" {
		t.Errorf("it was withdrawn: %v, got %q", err, b.Of(here))
	}
	if err := b.Withdraw(here); err != nil {
		t.Errorf("it was withdrawn twice: %v", err)
	}
	checkTokens(t, filepath.Join(root.Dir(), "data", "bearers"))
}

// checkTokens checks that only the owner can read the files in a folder of tokens, and that their names reveal nothing.
func checkTokens(t *testing.T, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 || strings.Contains(entries[0].Name(), "9101") {
		t.Fatalf("got %v, %v", entries, err)
	}
	for path, want := range map[string]fs.FileMode{folder: 0o700, filepath.Join(folder, entries[0].Name()): 0o600} {
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
}

func TestTokenOfWhoeverDiedWhileOfferingItDoesNotStay(t *testing.T) {
	t.Parallel()
	root := open(t)
	const here = "http://localhost:9101/mcp"
	if err := root.Credentials().Offer(here, "forgotten"); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(root.Dir(), "data", "bearers")
	entries, _ := os.ReadDir(folder)
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(folder, entries[0].Name()), long, long); err != nil {
		t.Fatal(err)
	}
	if got := root.Credentials().Of(here); got != "" {
		t.Errorf("got %q", got)
	}
}
