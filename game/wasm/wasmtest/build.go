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
	"testing"
)

// Chomp is the source of the example, from the root of the repository.
const Chomp = "examples/wasm/chomp.ts"

// settings has the options of the compiler.
const settings = "asconfig.json"

// lists are the dependencies of the compiler, in the folder of the example.
var lists = []string{"package.json", "package-lock.json", settings}

// Build returns the module of a source, named by its path from the root of the repository. The compiler and its
// output are cached in the user's cache. Without the compiler the test is skipped, and with CI=true it fails.
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

// repository returns the folder of go.mod: the test's folder or one above it. The path that the compiler records is of no
// use in a build with -trimpath.
func repository() string {
	dir, err := filepath.Abs(".")
	for err == nil && filepath.Dir(dir) != dir {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// folder is where the example is.
func folder() string { return filepath.Join(repository(), "examples", "wasm") }

// built returns a module from the cache, or makes it.
func built(source string) ([]byte, error) {
	compiler, err := installed()
	if err != nil {
		return nil, err
	}
	key, err := digest(filepath.Join(compiler, "package-lock.json"), filepath.Join(compiler, settings), source)
	if err != nil {
		return nil, err
	}
	made := filepath.Join(filepath.Dir(compiler), key+".wasm")
	if code, err := os.ReadFile(made); err == nil {
		return code, nil
	}
	return compiled(compiler, source, made)
}

// installed returns the folder with the compiler, in the user's cache. An existing one is complete.
func installed() (string, error) {
	var all []string
	for _, name := range lists {
		all = append(all, filepath.Join(folder(), name))
	}
	key, err := digest(all...)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "league-wasm", key)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	return dir, aside(dir, func(half string) error {
		for _, name := range lists {
			if err := copyTo(half, filepath.Join(folder(), name), name); err != nil {
				return err
			}
		}
		return run(half, "npm", "ci")
	})
}

// compiled runs the compiler and caches its output.
func compiled(compiler, source, made string) ([]byte, error) {
	work, err := os.MkdirTemp(filepath.Dir(made), "work-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	err = copyTo(work, source, "game.ts")
	if err == nil {
		err = copyTo(work, filepath.Join(compiler, settings), settings)
	}
	if err == nil {
		err = run(work, "node", filepath.Join(compiler, "node_modules", "assemblyscript", "bin", "asc.js"), "game.ts", "-o", "game.wasm")
	}
	if err == nil {
		err = os.Rename(filepath.Join(work, "game.wasm"), made) // a concurrent build gave the same result
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(made)
}

// aside has a folder filled beside dir and then names it so.
func aside(dir string, fill func(half string) error) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	half, err := os.MkdirTemp(filepath.Dir(dir), "half-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(half) }()
	if err := fill(half); err != nil {
		return err
	}
	if err := os.Rename(half, dir); err != nil {
		if _, there := os.Stat(dir); there != nil { // no other process was faster either
			return err
		}
	}
	return nil
}

// copyTo copies a file into a folder, under a name.
func copyTo(dir, file, name string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), text, 0o644)
}

// run runs a program in a folder. Its error has the program's output.
func run(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "npm_config_ignore_scripts=true", "npm_config_audit=false", "npm_config_fund=false",
		"npm_config_loglevel=error")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, said.String())
	}
	return nil
}

// digest is the hash of a module's inputs, in hex.
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
