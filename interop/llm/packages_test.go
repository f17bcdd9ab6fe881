package llm_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// list says what is installed.
const list = "requirements.txt"

// packages is the folder with the packages of the list, installed once in the user's cache. Where that cannot be done
// the test may do without; where changes are accepted it may not.
func packages(t *testing.T) string {
	t.Helper()
	dir, err := installed()
	switch {
	case err == nil:
		return dir
	case os.Getenv("CI") == "true":
		t.Fatalf("llama.cpp could not be installed: %v", err)
	}
	t.Skipf("llama.cpp could not be installed: %v", err)
	return ""
}

func installed() (string, error) {
	text, err := os.ReadFile(list)
	if err != nil {
		return "", err
	}
	version, err := exec.Command("python3", "--version").Output()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	key := sha256.Sum256(append(text, version...))
	dir := filepath.Join(cache, "league-interop", "llm-"+hex.EncodeToString(key[:])[:16])
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	return dir, install(dir)
}

// install puts the packages beside dir and then names it so: a folder that is there is whole.
func install(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	half, err := os.MkdirTemp(filepath.Dir(dir), "half-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(half) }()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile",
		"--only-binary", ":all:", "--target", half, "-r", list)
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pip: %w\n%s", err, said)
	}
	if err := os.Rename(half, dir); err != nil {
		if _, there := os.Stat(dir); there != nil { // nobody else was faster either
			return err
		}
	}
	return nil
}
