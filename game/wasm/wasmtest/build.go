// Package wasmtest builds modules for tests from their sources in AssemblyScript, with the compiler that
// examples/wasm/package-lock.json names.
//
//	game, err := wasm.New("chomp.wasm", wasmtest.Build(t, wasmtest.Chomp))
package wasmtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Chomp is the source of the example, from the root of the repository.
const Chomp = "examples/wasm/chomp.ts"

// Build returns the module of a source, whose name is one from the root of the repository. The compiler and what it made
// are kept in the user's cache. Where the compiler cannot be had the test is skipped, and with CI=true it fails.
func Build(t testing.TB, source string) []byte {
	t.Helper()
	code, err := built(filepath.Join(repository(), filepath.FromSlash(source)))
	switch {
	case err == nil:
		return code
	case os.Getenv("CI") == "true":
		t.Fatalf("%s could not be built: %v", source, err)
	}
	t.Skipf("%s could not be built: %v", source, err)
	return nil
}

// repository is the folder that all sources are in.
func repository() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "..", "..", "..")
}

// built returns a module from the cache, or makes it.
func built(source string) ([]byte, error) {
	lists := filepath.Join(repository(), "examples", "wasm")
	key, err := digest(filepath.Join(lists, "package-lock.json"), source)
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	cache = filepath.Join(cache, "league-wasm")
	made := filepath.Join(cache, key+".wasm")
	if code, err := os.ReadFile(made); err == nil {
		return code, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp(cache, "half-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	return compile(work, lists, source, made)
}

// compile installs the compiler in a folder of its own, which is cheap once npm has it, and runs it. Who builds the same at the
// same time makes the same.
func compile(work, lists, source, made string) ([]byte, error) {
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(filepath.Join(lists, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(work, name), text, 0o644)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := run(work, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(source)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(work, "game.ts"), text, 0o644); err != nil {
		return nil, err
	}
	err = run(work, "node", filepath.Join("node_modules", "assemblyscript", "bin", "asc.js"), "game.ts", "--outFile", "game.wasm",
		"-O", "--runtime", "stub", "--use", "abort=")
	if err != nil {
		return nil, err
	}
	if err := os.Rename(filepath.Join(work, "game.wasm"), made); err != nil {
		return nil, err
	}
	return os.ReadFile(made)
}

// run runs a program in a folder. Its error has what it said.
func run(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, said.String())
	}
	return nil
}

// digest names what a module is made of, in hex.
func digest(files ...string) (string, error) {
	sum := sha256.New()
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		sum.Write(text)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}
