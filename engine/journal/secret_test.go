package journal_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"agentleague/engine"
	"agentleague/engine/journal"
)

func TestASecretIsAFileThatNobodyElseMayRead(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir)
	defer e.Close()
	b, err := e.Secret(t.Context(), "draw.league_x")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "secrets", "draw.league_x")
	if got, want := string(read(t, path)), hex.EncodeToString(b)+"\n"; got != want || len(b) != engine.SecretSize {
		t.Errorf("got file %q, want %q", got, want)
	}
	for path, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want && runtime.GOOS != "windows" {
			t.Errorf("%s: got mode %v and error %v, want %v", path, info.Mode().Perm(), err, want)
		}
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("got %d files and error %v, want the secret alone", len(files), err)
	}
}

func TestASecretThatWasPutThereIsUsed(t *testing.T) {
	dir := t.TempDir()
	os.Mkdir(filepath.Join(dir, "secrets"), 0o700)
	write(t, filepath.Join(dir, "secrets", "draw"), strings.Repeat("2a", 32)+"\n")
	e := open(t, dir)
	defer e.Close()
	b, err := e.Secret(t.Context(), "draw")
	if err != nil || !bytes.Equal(b, bytes.Repeat([]byte{42}, 32)) {
		t.Errorf("got %x and error %v", b, err)
	}
}

func TestASpoiledSecretIsRefusedByNameAndKept(t *testing.T) {
	dir := t.TempDir()
	os.Mkdir(filepath.Join(dir, "secrets"), 0o700)
	path := filepath.Join(dir, "secrets", "draw")
	e := open(t, dir)
	defer e.Close()
	for _, text := range []string{
		"", "2a\n", strings.Repeat("2a", 32), strings.Repeat("2a", 33), strings.Repeat("2a", 33) + "\n",
		strings.Repeat("2g", 32) + "\n", strings.Repeat("2a", 32) + "2",
	} {
		write(t, path, text)
		_, err := e.Secret(t.Context(), "draw")
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "backup") {
			t.Errorf("%q: got error %v, want one that names the file and says what to do", text, err)
		}
		if string(read(t, path)) != text {
			t.Errorf("%q: the file was changed", text)
		}
	}
}

func TestASecretThatCannotBeMadeOrReadIsAnError(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "secrets"), "not a folder")
	e := open(t, dir)
	defer e.Close()
	if b, err := e.Secret(t.Context(), "draw"); err == nil {
		t.Errorf("got secret %x, want an error", b)
	}
	os.Remove(filepath.Join(dir, "secrets"))
	os.MkdirAll(filepath.Join(dir, "secrets", "draw"), 0o700)
	if b, err := e.Secret(t.Context(), "draw"); err == nil {
		t.Errorf("got secret %x of a folder, want an error", b)
	}
}

func TestASharedSecretIsThatOfTheEngine(t *testing.T) {
	dir := t.TempDir()
	made := make([][]byte, 8) // concurrently by all processors
	var wg sync.WaitGroup
	for i := range made {
		wg.Go(func() {
			b, err := journal.SharedSecret(dir, "referee")
			if err != nil {
				t.Error(err)
			}
			made[i] = b
		})
	}
	wg.Wait()
	e := open(t, dir)
	defer e.Close()
	want, err := e.Secret(t.Context(), "referee")
	if err != nil || len(want) != engine.SecretSize {
		t.Fatalf("got %x, %v", want, err)
	}
	for _, b := range append(made, readShared(t, filepath.Join(dir, "secrets", "referee"))) {
		if !bytes.Equal(b, want) {
			t.Errorf("got %x, want %x", b, want)
		}
	}
	if _, err := journal.SharedSecret(dir, "../referee"); err == nil {
		t.Error("a secret is made elsewhere")
	}
	spoilt := filepath.Join(dir, "spoilt")
	write(t, spoilt, "2a\n")
	for _, path := range []string{spoilt, filepath.Join(dir, "none")} {
		if _, err := journal.ReadSecret(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("got %v, want an error that names the file", err)
		}
	}
}

func readShared(t *testing.T, path string) []byte {
	t.Helper()
	b, err := journal.ReadSecret(path)
	if err != nil {
		t.Error(err)
	}
	return b
}
