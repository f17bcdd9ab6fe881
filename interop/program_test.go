package interop_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A program is a foreign player in another language.
type program struct{ interpreter, script, kind string }

// programs are all of them, each with its own standard library and nothing else.
var programs = []program{
	{"python3", "testdata/python/player.py", "A'"},
	{"python3", "testdata/python/player.py", "B"},
	{"python3", "testdata/python/player.py", "E"},
	{"python3", "testdata/python/player.py", "F"},
	{"python3", "testdata/python/player.py", "callback"},
	{"node", "testdata/node/player.js", "C"},
	{"node", "testdata/node/player.js", "D"},
	{"node", "testdata/node/player.js", "double"},
	{"node", "testdata/node/player.js", "request"},
}

// installed lists the programs whose language is installed. A missing language skips the test on a developer's machine
// and fails it in CI.
func installed(t testing.TB) (out []program) {
	t.Helper()
	for _, p := range programs {
		_, err := exec.LookPath(p.interpreter)
		switch {
		case err == nil:
			out = append(out, p)
		case os.Getenv("CI") == "true":
			t.Fatalf("%s is not installed: %v", p.interpreter, err)
		default:
			t.Logf("%s is not installed, so %s is left out", p.interpreter, p.name())
		}
	}
	return out
}

func (p program) name() string { return fmt.Sprintf("%s %s", p.interpreter, p.kind) }

// start runs the program until the test ends and returns when it has
// registered, with the id that it was granted.
func (p program) start(t testing.TB, manager string) (id string, err error) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, p.interpreter, p.script, p.kind, manager, p.name())
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		stop()
		return "", fmt.Errorf("%s: %w; the tests of foreign players need %s", p.name(), err, p.interpreter)
	}
	t.Cleanup(func() { stop(); _ = cmd.Wait() })
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(out).ReadString('\n')
		line <- text
	}()
	select {
	case text := <-line:
		id, ok := strings.CutPrefix(strings.TrimSpace(text), "registered ")
		if !ok {
			stop()
			_ = cmd.Wait()
			return "", fmt.Errorf("%s does not register: %s%s", p.name(), text, said.String())
		}
		return id, nil
	case <-time.After(20 * time.Second):
		return "", fmt.Errorf("%s does not register within 20 s", p.name())
	}
}
