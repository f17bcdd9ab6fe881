package rpctest

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

// Packages returns a folder with the npm packages that the package.json and package-lock.json in folder list. They
// are installed once and cached. If the installation fails, the test is skipped; with CI=true it fails.
func Packages(t testing.TB, folder string) string {
	t.Helper()
	dir, err := NodePackages(folder)
	return OrWithout(t, dir, err)
}

// NodePackages is like Packages, but returns an error.
func NodePackages(folder string) (string, error) {
	return Installed([]string{filepath.Join(folder, "package.json"), filepath.Join(folder, "package-lock.json")}, "",
		"npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
}

// PythonPackages installs the Python packages in a requirements file. It returns a folder that contains them in its
// subfolder packages.
func PythonPackages(list string) (string, error) {
	version, err := exec.Command("python3", "--version").Output()
	if err != nil {
		return "", err
	}
	return Installed([]string{list}, string(version), "python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
		"--no-compile", "--only-binary", ":all:", "--target", "packages", "-r", filepath.Base(list))
}

// OrWithout returns dir if err is nil. Otherwise it skips the test, or with CI=true fails it.
func OrWithout(t testing.TB, dir string, err error) string {
	t.Helper()
	switch {
	case err == nil:
		return dir
	case os.Getenv("CI") == "true":
		t.Fatalf("the programs of others could not be installed: %v", err)
	}
	t.Skipf("the programs of others could not be installed: %v", err)
	return ""
}

// Installed returns a cached folder in which a command has installed the packages in the files lists. On a cache miss
// it runs the command in a new folder with copies of these files. The cache key consists of the files' contents and
// also.
func Installed(lists []string, also string, command ...string) (string, error) {
	key := sha256.New()
	key.Write([]byte(also))
	for _, name := range lists {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		key.Write(text)
	}
	dir := filepath.Join(Cache(), hex.EncodeToString(key.Sum(nil))[:16])
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	return dir, install(dir, lists, command)
}

// Cache returns the folder, in the user's cache, for the packages that tests install.
func Cache() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "league-interop")
}

// slowestInstall is the timeout of an installation, long enough for packages that are compiled.
const slowestInstall = 10 * time.Minute

// install runs the command in a temporary folder beside dir and then renames that folder to dir, so that dir is either
// complete or missing.
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
		if err == nil {
			err = os.WriteFile(filepath.Join(half, filepath.Base(name)), text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), slowestInstall)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = half
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", command[0], err, said)
	}
	if err := os.Rename(half, dir); err != nil {
		if _, there := os.Stat(dir); there != nil { // no other process was faster either
			return err
		}
	}
	return nil
}
