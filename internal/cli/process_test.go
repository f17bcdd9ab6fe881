package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"agentleague/rpc/rpctest"
)

// theLeague is the default league of commands.
const theLeague = "league_2025_even_odd"

// A process is the program as its users start it.
type process struct {
	t         testing.TB
	cmd       *exec.Cmd
	out, errs text
	exited    chan struct{}
}

// A text collects the output of a process; it is safe for concurrent use.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (x *text) Write(b []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.b.Write(b)
}

func (x *text) String() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.b.String()
}

// start runs league with args. It is killed when the test ends, if it has not ended.
func start(t testing.TB, args ...string) *process {
	t.Helper()
	return startLimited(t, 0, args...)
}

// startLimited runs league with args and a limit of open files; 0 means the limit of the test.
func startLimited(t testing.TB, mayOpen int, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command("league", args...), exited: make(chan struct{})}
	if mayOpen > 0 {
		p.cmd = exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -n %d && exec league "$@"`, mayOpen), "sh"}, args...)...)
	}
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.errs
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.exited)
		_ = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.exited
		if t.Failed() {
			t.Logf("league %s:\n%s%s", strings.Join(args, " "), p.out.String(), p.errs.String())
		}
	})
	return p
}

// lastingPort returns a port for an agent that leaves it and comes back to it.
func lastingPort() string { return fmt.Sprint(rpctest.Port()) }

// says waits until the process has written want, on either output.
func (p *process) says(want string) {
	p.t.Helper()
	rpctest.Until(p.t, want, func() (said string, ok bool) {
		said = p.out.String() + p.errs.String()
		return said, strings.Contains(said, want)
	})
}

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// status waits for the end of the process and returns its exit status, -1 if a signal ended it.
func (p *process) status() int {
	p.t.Helper()
	rpctest.Until(p.t, "the end of the process", func() (written int, ended bool) {
		return len(p.out.String()) + len(p.errs.String()), !p.running()
	})
	return p.cmd.ProcessState.ExitCode()
}

// once runs league to its end and decodes the object that it prints.
func once(t *testing.T, into any, args ...string) {
	t.Helper()
	p := start(t, append(args, "--json")...)
	if p.status() != 0 {
		t.Fatalf("league %s: %s", strings.Join(args, " "), p.errs.String())
	}
	if err := json.Unmarshal([]byte(p.out.String()), into); err != nil {
		t.Fatal(err)
	}
}

// A shownStatus is the output of `league status --json`.
type shownStatus struct {
	State    string `json:"state"`
	Reason   string `json:"reason"`
	Recorded int    `json:"matches_recorded"`
}

// endpoint waits for the endpoint that a manager prints when it is there.
func (p *process) endpoint() (url string) {
	p.t.Helper()
	rpctest.Eventually(p.t, "the manager's address", func() bool {
		_, rest, ok := strings.Cut(p.out.String(), " at ")
		url, _, _ = strings.Cut(rest, "\n")
		return ok && strings.Contains(rest, "\n")
	})
	return url
}
