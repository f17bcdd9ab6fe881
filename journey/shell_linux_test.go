package journey

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"agentleague/rpc/rpctest"
)

// TestMain builds the program and puts it on the PATH, as the guides assume.
func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "journey-")
		if err == nil {
			defer os.RemoveAll(dir)
			_, err = rpctest.Program(dir)
		}
		if err == nil {
			err = os.Setenv("PATH", dir+":"+os.Getenv("PATH"))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// A journey is one person's way through the guides.
type journey struct {
	*terminal
	t        *testing.T
	name     string
	commands []command
	ran      map[string]bool // commands by where they are
	count    int
	fills    map[string]string
	started  []*process
}

// A terminal is a folder in which commands are typed.
type terminal struct {
	j     *journey
	dir   string
	enter []string // the command that runs another one on the terminal's network, if that is not the test's
}

// begin starts a journey in an empty folder, on a network where all ports are free.
func begin(t *testing.T, name string) *journey {
	t.Helper()
	ownNetwork(t)
	all, err := commands()
	if err != nil {
		t.Fatal(err)
	}
	j := &journey{t: t, name: name, ran: map[string]bool{}, fills: map[string]string{}}
	for _, c := range all {
		if c.journey == name && reasonToLeaveOut(c) == "" {
			j.commands = append(j.commands, c)
		}
	}
	began := time.Now()
	j.terminal = j.at(t.TempDir())
	t.Cleanup(func() {
		t.Logf("journey %s: %d commands, %.0f s", name, j.count, time.Since(began).Seconds())
		stopped := t.Failed()
		for _, c := range j.commands {
			if !stopped && !j.ran[c.where] {
				t.Errorf("%s: the journey does not run %q", c.where, c.text)
			}
		}
	})
	return j
}

// ownNetwork moves the test, and the processes that it starts, to a network without other processes.
func ownNetwork(t *testing.T) {
	t.Helper()
	runtime.LockOSThread() // for the rest of the test; the thread ends with it
	err := syscall.Unshare(syscall.CLONE_NEWNET)
	switch {
	case err != nil && os.Getenv("CI") == "":
		t.Skipf("a network of its own needs root: %v", err)
	case err != nil:
		t.Fatal(err)
	}
	shell(t, "ip link set lo up")
}

// shell runs a command that prepares a journey.
func shell(t *testing.T, text string) {
	t.Helper()
	if out, err := exec.Command("sh", "-ec", text).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", text, err, out)
	}
}

// at opens a terminal in a folder, which is made if it is missing. A relative folder is below the first terminal's.
func (j *journey) at(dir string) *terminal {
	j.t.Helper()
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(j.terminal.dir, dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		j.t.Fatal(err)
	}
	return &terminal{j: j, dir: dir}
}

// fill sets the value of a placeholder of the guides.
func (j *journey) fill(placeholder, value string) {
	j.t.Helper()
	if !slices.ContainsFunc(substitutions, func(s substitution) bool { return s.old == placeholder && s.new == "" }) {
		j.t.Fatalf("%q is not in the table of substitutions", placeholder)
	}
	j.fills[placeholder] = value
}

// typed returns a command of the guides with its substitutions: the command with exactly that text, or else the first
// that begins with it and has not run yet.
func (j *journey) typed(words string) string {
	j.t.Helper()
	var found *command
	for n, c := range j.commands {
		if strings.HasPrefix(c.text, words) && (found == nil || j.prefers(c, *found, words)) {
			found = &j.commands[n]
		}
	}
	if found == nil {
		j.t.Fatalf("no guide of the %s has a command that begins with %q", j.name, words)
	}
	j.ran[found.where] = true
	j.count++
	return j.substituted(found.text)
}

// prefers reports whether words name the command c rather than found, which is above it.
func (j *journey) prefers(c, found command, words string) bool {
	if exact := found.text == words; exact != (c.text == words) {
		return !exact
	}
	return j.ran[found.where] && !j.ran[c.where]
}

// substituted returns a text with the substitutions of the journey.
func (j *journey) substituted(text string) string {
	for _, s := range substitutions {
		value := s.new
		if value == "" {
			value = j.fills[s.old]
		}
		if value != "" && (s.journey == "" || s.journey == j.name) {
			text = strings.ReplaceAll(text, s.old, value)
		}
	}
	return text
}

// run runs a command of the guides to its end and returns its output. It must succeed.
func (d *terminal) run(words string) string {
	d.j.t.Helper()
	out, status := d.end(words)
	if status != 0 {
		d.j.t.Fatalf("exit status %d of %q:\n%s", status, words, out)
	}
	return out
}

// refused runs a command of the guides that must fail, and returns its output.
func (d *terminal) refused(words string) string {
	d.j.t.Helper()
	out, status := d.end(words)
	if status == 0 {
		d.j.t.Fatalf("%q succeeded:\n%s", words, out)
	}
	return out
}

// end runs a command of the guides and returns its output and exit status. After `cd` the terminal is in that folder.
func (d *terminal) end(words string) (out string, status int) {
	d.j.t.Helper()
	text := d.j.typed(words)
	if dir, is := strings.CutPrefix(text, "cd "); is {
		d.dir = filepath.Join(d.dir, dir)
		return "", 0
	}
	p := d.begin(text)
	status = p.status()
	return p.text(), status
}

// start starts a command of the guides that runs until it is interrupted, or until its league is over.
func (d *terminal) start(words string) *process {
	d.j.t.Helper()
	return d.serve(d.j.typed(words))
}

// serve starts a command that runs until it is interrupted.
func (d *terminal) serve(text string) *process {
	d.j.t.Helper()
	p := d.begin("exec " + text)
	d.j.started = append(d.j.started, p)
	return p
}

// close interrupts everything that was started and runs.
func (j *journey) close() {
	j.t.Helper()
	for _, p := range j.started {
		p.interrupt()
	}
	j.started = nil
}

// A process is a command that runs.
type process struct {
	t      *testing.T
	typed  string
	cmd    *exec.Cmd
	exited chan struct{}
	mu     sync.Mutex
	out    bytes.Buffer
}

// begin starts a shell command. It is killed when the test ends.
func (d *terminal) begin(text string) *process {
	t := d.j.t
	t.Helper()
	args := append(slices.Clone(d.enter), "sh", "-ec", text)
	p := &process{t: t, typed: text, cmd: exec.Command(args[0], args[1:]...), exited: make(chan struct{})}
	p.cmd.Dir = d.dir
	p.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "PYTHONDONTWRITEBYTECODE=1")
	p.cmd.Stdout, p.cmd.Stderr = p, p
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.exited)
		_ = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		<-p.exited
		if t.Failed() {
			t.Logf("$ %s\n%s", p.typed, p.text())
		}
	})
	return p
}

// Write takes the output of the process.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.Write(b)
}

// text returns the output so far.
func (p *process) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// prints waits until the output contains want.
func (p *process) prints(want string) *process {
	p.t.Helper()
	rpctest.Until(p.t, fmt.Sprintf("%q of %s", want, p.typed), func() (out string, ok bool) {
		out = p.text()
		if !p.running() && !strings.Contains(p.text(), want) {
			p.t.Fatalf("%s ended without %q:\n%s", p.typed, want, out)
		}
		return out, strings.Contains(out, want)
	})
	return p
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
	rpctest.Until(p.t, "the end of "+p.typed, func() (out string, ended bool) {
		ended = !p.running()
		return p.text(), ended
	})
	return p.cmd.ProcessState.ExitCode()
}

// ends waits for the end of the process, which must be a success.
func (p *process) ends() string {
	p.t.Helper()
	if status := p.status(); status != 0 {
		p.t.Fatalf("exit status %d of %q:\n%s", status, p.typed, p.text())
	}
	return p.text()
}

// interrupt ends the process with an interrupt, and waits until it has ended.
func (p *process) interrupt() {
	p.t.Helper()
	_ = p.cmd.Process.Signal(syscall.SIGINT)
	p.status()
}

// contains fails the test unless an output has all of these parts.
func (j *journey) contains(out string, parts ...string) {
	j.t.Helper()
	for _, part := range parts {
		if !strings.Contains(out, part) {
			j.t.Errorf("%q is missing in:\n%s", part, out)
		}
	}
}

// also runs a command that a guide of the journey has in a sentence, between backquotes.
func (d *terminal) also(text string) string {
	d.j.t.Helper()
	for _, g := range guides {
		guide, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(g.file)))
		if err == nil && g.journey == d.j.name && bytes.Contains(guide, []byte("`"+text+"`")) {
			return d.begin(d.j.substituted(text)).ends()
		}
	}
	d.j.t.Fatalf("no guide of the %s has `%s` in a sentence", d.j.name, text)
	return ""
}
