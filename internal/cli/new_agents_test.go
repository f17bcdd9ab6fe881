package cli

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The manager and the referee of `league new` play a league with players of ours, and the referee judges in a league of our
// manager.
func TestNewManagerAndRefereePlayALeague(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	root := t.TempDir()
	for _, role := range []string{"manager", "referee"} {
		if code := Main([]string{"new", role, filepath.Join(root, role)}, io.Discard, os.Stderr); code != 0 {
			t.Fatalf("league new %s: exit %d", role, code)
		}
	}
	manager := python(t, filepath.Join(root, "manager"), "--players", "2")
	url := manager.shows(t, `(http://\S+/mcp)`)
	referee := python(t, filepath.Join(root, "referee"), "--manager", url)
	for _, name := range []string{"One", "Two"} {
		start(t, "player", "--port", "0", "--name", name, "--manager", url, "--root", filepath.Join(root, name))
	}
	referee.shows(t, `R1M1: (.*number was \d+)`)
	if champion := manager.shows(t, `1\. (P0[12] .*: [13] points)`); champion == "" {
		t.Error("the manager prints no table")
	}
}

// A pythonRun is a running Python program.
type pythonRun struct{ lines *bufio.Scanner }

// python runs main.py of a folder at a free port.
func python(t *testing.T, dir string, args ...string) pythonRun {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "python3", append([]string{"main.py", "--port", "0"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	cmd.Stderr = cmd.Stdout
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return pythonRun{bufio.NewScanner(out)}
}

// shows reads lines until one matches, and returns the first group.
func (s pythonRun) shows(t *testing.T, pattern string) string {
	t.Helper()
	var read []string
	for s.lines.Scan() {
		if found := regexp.MustCompile(pattern).FindStringSubmatch(s.lines.Text()); found != nil {
			return found[1]
		}
		read = append(read, s.lines.Text())
	}
	t.Fatalf("%s is missing in:\n%s", pattern, strings.Join(read, "\n"))
	return ""
}
