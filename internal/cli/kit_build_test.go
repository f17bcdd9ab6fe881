package cli

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"agentleague/rpc/rpctest"
)

// builds caches the programs of kits in Go by the text of their sources, since a build takes longer than most tests.
// Each test runs the program in a separate folder, so that stored state is not shared.
var builds struct {
	mu       sync.Mutex
	dir      string
	programs map[string]func() (string, error)
}

// builtKit is the program of the kit in Go in dir, as its sources are now.
func builtKit(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no kit in Go: %v", dir, err)
	}
	text := sha256.New()
	for _, file := range append(files, filepath.Join(dir, "go.mod")) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(text, "%s %d\n%s", filepath.Base(file), len(b), b)
	}
	program, err := buildOnce(dir, fmt.Sprintf("%x", text.Sum(nil)))
	if err != nil {
		t.Fatalf("build the kit: %v", err)
	}
	return program
}

// buildOnce builds the sources in dir unless the same text was built before. Concurrent callers wait.
func buildOnce(dir, text string) (string, error) {
	builds.mu.Lock()
	if builds.dir == "" {
		made, err := os.MkdirTemp("", "league-kits-")
		if err != nil {
			builds.mu.Unlock()
			return "", err
		}
		builds.dir, builds.programs = made, map[string]func() (string, error){}
	}
	build, ok := builds.programs[text]
	if !ok {
		program := filepath.Join(builds.dir, text)
		build = sync.OnceValues(func() (string, error) { return program, goBuild(dir, program) })
		builds.programs[text] = build
	}
	builds.mu.Unlock()
	return build()
}

// goBuild builds the module in dir without network access.
func goBuild(dir, program string) error {
	build := exec.Command("go", rpctest.Build("-o", program, ".")...)
	build.Dir, build.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, strings.TrimSpace(string(out)))
	}
	return nil
}
