package agentleague_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The commands at the top of the README work in a new clone, in their order: the files of the first do not affect the
// tests. Of those, the tests that read the repository are run.
func TestLongReadmeCommandsWorkInOrder(t *testing.T) {
	t.Parallel()
	clone := filepath.Join(t.TempDir(), "league")
	inFolder(t, ".", "git", "clone", "--quiet", "--no-hardlinks", ".", clone)
	block := regexp.MustCompile("(?s)```\n(.*?)```").FindStringSubmatch(read(t, "README.md"))
	if block == nil {
		t.Fatal("README.md has no commands")
	}
	commands := strings.Split(strings.TrimSpace(block[1]), "\n")
	for _, command := range commands {
		command, _, _ = strings.Cut(command, "#")
		if strings.TrimSpace(command) == "make test" {
			command = "go test -vet=off -skip ^TestLong ."
		}
		began := time.Now()
		out := inFolder(t, clone, "sh", "-ec", "ip link set lo up\n"+command)
		t.Logf("%s: %v\n%s", command, time.Since(began).Round(time.Second), out)
	}
}

// inFolder runs a command in a folder, in its own network namespace, so that the ports are free. It returns its output.
func inFolder(t *testing.T, folder string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = folder
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil && os.Geteuid() != 0 && os.Getenv("CI") == "":
		t.Skipf("a network of its own needs root: %v", err)
	case err != nil:
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
