//go:build !windows

package chaos_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"agentleague/rpc/rpctest"
)

// program is the product, built once for all tests.
var program string

// builtIn is the variable with the folder of the programs that were built for the processes that a test starts.
const builtIn = "LEAGUE_CHAOS_BUILT"

func TestMain(m *testing.M) {
	os.Exit(func() int {
		if dir := os.Getenv(builtIn); dir != "" {
			program = filepath.Join(dir, "league")
			return m.Run()
		}
		dir, err := os.MkdirTemp("", "chaos-*")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		if program, err = rpctest.Program(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// long reports whether there is time for all of it: LEAGUE_CHAOS=long.
func long() bool { return os.Getenv("LEAGUE_CHAOS") == "long" }

// An agent is one command line, and the process that runs it now.
type agent struct {
	t    *testing.T
	name string
	dir  string   // where it runs; "": here
	argv []string // the program: the product, or a third-party agent
	args []string

	mu     sync.Mutex
	cmd    *exec.Cmd
	exited chan struct{}
	out    bytes.Buffer
	lives  int
}

// newAgent runs league with args.
func newAgent(t *testing.T, name string, args ...string) *agent {
	t.Helper()
	return (&agent{t: t, name: name, argv: []string{program}, args: args}).begin()
}

// begin starts the agent for the first time, and ends it with the test.
func (a *agent) begin() *agent {
	a.t.Helper()
	a.start()
	a.t.Cleanup(func() {
		a.kill()
		if a.t.Failed() {
			a.t.Logf("%s, %d lives: %s %s\n%s", a.name, a.lives, a.argv[0], strings.Join(a.args, " "), tail(a.said()))
		}
	})
	return a
}

// start runs the command again, with the same words.
func (a *agent) start() {
	a.t.Helper()
	cmd := exec.Command(a.argv[0], append(slices.Clone(a.argv[1:]), a.args...)...)
	cmd.Dir = a.dir
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	cmd.Stdout, cmd.Stderr = a, a
	if err := cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	exited := make(chan struct{})
	a.mu.Lock()
	a.cmd, a.exited = cmd, exited
	a.lives++
	a.mu.Unlock()
	go func() {
		defer close(exited)
		_ = cmd.Wait()
	}()
}

// kill ends the process without a word, and returns when it is gone.
func (a *agent) kill() {
	a.mu.Lock()
	cmd, exited := a.cmd, a.exited
	a.mu.Unlock()
	_ = cmd.Process.Kill()
	<-exited
}

// interrupt interrupts the process, waits for its end, and returns an error unless it reports success.
func (a *agent) interrupt() error {
	a.mu.Lock()
	cmd, exited := a.cmd, a.exited
	a.mu.Unlock()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	<-exited
	if !cmd.ProcessState.Success() {
		return fmt.Errorf("%v: %s", cmd.ProcessState, tail(a.said()))
	}
	return nil
}

func (a *agent) running() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.exited:
		return false
	default:
		return true
	}
}

// Write stores output of the process.
func (a *agent) Write(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.out.Write(b)
}

func (a *agent) said() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.out.String()
}

func tail(s string) string { return s[max(0, len(s)-2000):] }

// run runs league to its end and returns its output.
func run(args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// port returns a port for an agent that leaves it and comes back to it.
func port() string { return fmt.Sprint(rpctest.Port()) }
