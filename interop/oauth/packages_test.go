package oauth_test

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

// packages is the folder with the packages of package-lock.json, installed once
// in the user's cache. Where that cannot be done the test may do without; where
// changes are accepted it may not.
func packages(t *testing.T) string {
	t.Helper()
	dir, err := installed()
	switch {
	case err == nil:
		return dir
	case os.Getenv("CI") == "true":
		t.Fatalf("the authorization server could not be installed: %v", err)
	}
	t.Skipf("the authorization server could not be installed: %v", err)
	return ""
}

// lists are the files that say what is installed.
var lists = []string{"package.json", "package-lock.json"}

func installed() (string, error) {
	key := sha256.New()
	for _, name := range lists {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		key.Write(text)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "league-interop", "oauth-"+hex.EncodeToString(key.Sum(nil))[:16])
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
	for _, name := range lists {
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(half, name), text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = half
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, said)
	}
	if err := os.Rename(half, dir); err != nil {
		if _, there := os.Stat(dir); there != nil { // nobody else was faster either
			return err
		}
	}
	return nil
}
