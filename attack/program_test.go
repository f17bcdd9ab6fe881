package attack_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"agentleague/rpc/rpctest"
)

// program is the product, built once for all tests.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("test.parallel", "12") // leagues mostly wait: for a disk, a process, a deadline
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "attack-*")
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

// A process is the program as its users start it.
type process struct {
	t      testing.TB
	cmd    *exec.Cmd
	exited chan struct{}

	mu  sync.Mutex
	out bytes.Buffer
}

// start runs league with args until the test ends.
func start(t testing.TB, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: command(args...), exited: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p, p
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.exited)
		_ = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			said := p.said()
			t.Logf("league %s:\n%s", strings.Join(args, " "), said[max(0, len(said)-3000):])
		}
	})
	return p
}

func command(args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "GOMAXPROCS=1")
	return cmd
}

// kill ends the process without a word, and returns when it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.exited
}

// Write stores output of the process.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.Write(b)
}

func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// says waits until the process has written want.
func (p *process) says(want string) {
	p.t.Helper()
	rpctest.Eventually(p.t, want, func() bool { return strings.Contains(p.said(), want) })
}

// run runs league to its end and returns its output and its exit status.
func run(t testing.TB, args ...string) (said string, status int) {
	t.Helper()
	out, err := command(args...).CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	if ended != nil {
		status = ended.ExitCode()
	}
	return string(out), status
}
