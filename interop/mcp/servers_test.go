package mcp_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"agentleague/rpc/rpctest"
)

// A toolPlayer is a player that is an MCP server with its own tools.
type toolPlayer struct {
	Kind string
	URL  string
}

// needs are the options with which a server is enlisted, because they cannot be detected.
var needs = map[string][]string{
	"python nameless": {"--tool", "choose_parity=alpha"},
	"python locked":   {"--bearer-file", "bearer.txt"},
}

// A library is a program of testdata/servers with players of one library.
type library struct {
	name string
	run  func(folder string) (*exec.Cmd, error)
}

// libraries are those that players are written with, in the versions that most have.
var libraries = []library{
	{"official.py", python("requirements-official.txt", "official.py")},
	{"fast.py", python("requirements-fastmcp4.txt", "fast.py")},
	{"official.mjs", inNode("official.mjs")},
	{"fast.mjs", inNode("fast.mjs")},
}

// otherLibraries are other versions of them.
var otherLibraries = []library{
	{"official2.py", python("requirements-official2.txt", "official2.py")},
	{"fast.py of fastmcp 2", python("requirements-fastmcp2.txt", "fast.py")},
	{"fast.py of fastmcp 3", python("requirements-fastmcp3.txt", "fast.py")},
	{"official2.mjs", inNode("official2.mjs")},
}

// inRust needs a compiler that is newer than that of most systems.
var inRust = library{"main.rs", func(string) (*exec.Cmd, error) {
	program, err := rustPlayers()
	return exec.Command(program), err
}}

// python runs a program with the packages of a list.
func python(list, program string) func(folder string) (*exec.Cmd, error) {
	return func(folder string) (*exec.Cmd, error) {
		packages, err := rpctest.PythonPackages(list)
		if err != nil {
			return nil, err
		}
		cmd := exec.Command("python3", program)
		cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(packages, "packages"))
		return cmd, nil
	}
}

// inNode runs a program with the packages of npm.
func inNode(program string) func(folder string) (*exec.Cmd, error) {
	return func(folder string) (*exec.Cmd, error) {
		dir, err := installed()
		if err != nil {
			return nil, err
		}
		link := filepath.Join(folder, "node_modules")
		if err := os.Symlink(filepath.Join(dir, "node_modules"), link); err != nil {
			return nil, err
		}
		return exec.Command(nodeOf(dir), program), nil
	}
}

// toolPlayers starts the players of some libraries, which end with the test.
func toolPlayers(t *testing.T, libraries []library) (players []toolPlayer) {
	t.Helper()
	var wg sync.WaitGroup
	started := make([][]toolPlayer, len(libraries))
	failures := make([]error, len(libraries))
	for i, l := range libraries {
		folder := t.TempDir()
		if err := os.CopyFS(folder, os.DirFS(filepath.Join("testdata", "servers"))); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() { started[i], failures[i] = startLibrary(t, l, folder) })
	}
	wg.Wait()
	for i, err := range failures {
		rpctest.OrWithout(t, "", err)
		players = append(players, started[i]...)
	}
	return players
}

// startLibrary runs a program and returns its players once it reports that all of them listen.
func startLibrary(t *testing.T, l library, folder string) (players []toolPlayer, err error) {
	cmd, err := l.run(folder)
	if err != nil {
		return nil, err
	}
	cmd.Dir = folder
	cmd.Env = append(environment(cmd), "PYTHONDONTWRITEBYTECODE=1", "FASTMCP_CHECK_FOR_UPDATES=off",
		"FASTMCP_SHOW_SERVER_BANNER=false")
	var problems bytes.Buffer
	cmd.Stderr = &problems
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	var read sync.WaitGroup
	t.Cleanup(func() { endLibrary(cmd, in, &read) })
	for lines.Scan() {
		var p toolPlayer
		switch {
		case json.Unmarshal(lines.Bytes(), &p) != nil: // a log line of the library
		case p.Kind == "":
			read.Go(func() { _, _ = io.Copy(io.Discard, out) })
			return players, nil
		default:
			players = append(players, p)
		}
	}
	t.Errorf("%s ended: %s", l.name, problems.String())
	return nil, nil
}

// environment returns the environment of a program.
func environment(cmd *exec.Cmd) []string {
	if cmd.Env != nil {
		return cmd.Env
	}
	return os.Environ()
}

// endLibrary lets a program end by itself, and ends it after a while.
func endLibrary(cmd *exec.Cmd, in io.Closer, read *sync.WaitGroup) {
	_ = in.Close()
	late := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	read.Wait()
	_ = cmd.Wait()
}
