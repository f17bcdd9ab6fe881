package mcp_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

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
		if err := os.Symlink(filepath.Join(dir, "node_modules"), link); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		return exec.Command(nodeOf(dir), program), nil
	}
}

// A running is the program of a library while it runs.
type running struct {
	library
	folder  string
	players []toolPlayer
	end     func()
}

// toolPlayers starts the programs of some libraries, which end with the test.
func toolPlayers(t *testing.T, libraries []library) (programs []*running) {
	t.Helper()
	var wg sync.WaitGroup
	failures := make([]error, len(libraries))
	for i, l := range libraries {
		folder := t.TempDir()
		if err := os.CopyFS(folder, os.DirFS(filepath.Join("testdata", "servers"))); err != nil {
			t.Fatal(err)
		}
		programs = append(programs, &running{library: l, folder: folder})
		wg.Go(func() { failures[i] = programs[i].start(t) })
	}
	wg.Wait()
	for _, err := range failures {
		rpctest.OrWithout(t, "", err)
	}
	t.Cleanup(func() {
		for _, p := range programs {
			p.end()
		}
	})
	return programs
}

// playersOf returns the players of some programs.
func playersOf(programs []*running) (players []toolPlayer) {
	for _, p := range programs {
		players = append(players, p.players...)
	}
	return players
}

// end kills the programs.
func end(programs []*running) {
	for _, p := range programs {
		p.end()
	}
}

// begin starts the programs again, with their players at the same addresses.
func begin(t *testing.T, programs []*running) {
	t.Helper()
	var wg sync.WaitGroup
	for _, p := range programs {
		wg.Go(func() {
			if err := p.start(t); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// start runs a program until it says that all of its players listen, each at the port that it had before.
func (p *running) start(t *testing.T) error {
	cmd, err := p.run(p.folder)
	if err != nil {
		return err
	}
	ports := map[string]int{}
	for _, player := range p.players {
		u, err := url.Parse(player.URL)
		if err != nil {
			return err
		}
		ports[player.Kind], _ = strconv.Atoi(u.Port())
	}
	same, err := json.Marshal(ports)
	if err != nil {
		return err
	}
	cmd.Dir = p.folder
	cmd.Env = append(environment(cmd), "PYTHONDONTWRITEBYTECODE=1", "FASTMCP_CHECK_FOR_UPDATES=off",
		"FASTMCP_SHOW_SERVER_BANNER=false", "PORTS="+string(same))
	var problems bytes.Buffer
	cmd.Stderr = &problems
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	var read sync.WaitGroup
	p.players, p.end = nil, func() { endLibrary(cmd, in, &read) }
	for lines.Scan() {
		var one toolPlayer
		switch {
		case json.Unmarshal(lines.Bytes(), &one) != nil: // a log line of the library
		case one.Kind == "":
			read.Go(func() { _, _ = io.Copy(io.Discard, out) })
			return nil
		default:
			p.players = append(p.players, one)
		}
	}
	t.Errorf("%s ended: %s", p.name, problems.String())
	return nil
}

// environment returns the environment of a program.
func environment(cmd *exec.Cmd) []string {
	if cmd.Env != nil {
		return cmd.Env
	}
	return os.Environ()
}

// endLibrary kills a program, without a chance to end its sessions.
func endLibrary(cmd *exec.Cmd, in io.Closer, read *sync.WaitGroup) {
	_ = cmd.Process.Kill()
	_ = in.Close()
	read.Wait()
	_ = cmd.Wait()
}
