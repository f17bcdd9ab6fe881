package agentleague_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentleague/rpc/rpctest"
)

const playerGuide = "docs/guide/writing-a-player.md"

// A player is built in a separate module by the commands of the guide, without network access.
func TestLongSDKIsUsedFromAnotherModule(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(here, filepath.Join(dir, "league")); err != nil {
		t.Fatal(err)
	}
	steps := blocks(t, playerGuide, "sh")
	if len(steps) != 2 {
		t.Fatalf("%s has %d blocks of commands, want one to make a module and one to build it", playerGuide, len(steps))
	}
	shell(t, dir, steps[0])
	mod := read(t, filepath.Join(dir, "evelyn/go.mod"))
	for _, line := range []string{"require agentleague v0.0.0\n", "replace agentleague => ../league\n"} {
		if !strings.Contains(mod, line) || !strings.Contains(read(t, playerGuide), "`"+strings.TrimSpace(line)+"`") {
			t.Errorf("go.mod or the guide lacks %q:\n%s", line, mod)
		}
	}
	write(t, filepath.Join(dir, "evelyn/main.go"), blocks(t, playerGuide, "go")[0])
	if out := shell(t, filepath.Join(dir, "evelyn"), steps[1]); !strings.Contains(out, "the address of the manager") {
		t.Errorf("the player does not say what it takes:\n%s", out)
	}
}

// shell runs commands in order until one fails, and returns their output.
func shell(t *testing.T, dir, commands string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", commands)
	cmd.Dir = dir
	alike := rpctest.Build()[1:]
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS="+strings.Join(alike, " "), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", commands, err, out)
	}
	return string(out)
}
