package chaos_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// onOwnNetwork reports whether the test runs in its own network namespace. If not, it runs the test there in a child
// process, and the caller returns. Browsers abort their requests when interfaces of the machine's network change.
func onOwnNetwork(t *testing.T) bool {
	t.Helper()
	if os.Getenv(builtIn) != "" {
		return true
	}
	dir := filepath.Dir(program)
	buildNATS(t, dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^"+t.Name()+"$", "-test.v")
	if end, ok := t.Deadline(); ok { // it ends before this process does, and logs the awaited condition
		cmd.Args = append(cmd.Args, fmt.Sprintf("-test.timeout=%v", time.Until(end)-10*time.Second))
	}
	cmd.Env = append(os.Environ(), builtIn+"="+dir)
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if _, err = exec.LookPath("ip"); err == nil {
		err = cmd.Start()
	}
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatalf("no network of its own: %v", err)
	case err != nil:
		t.Skipf("no machine is cut off: making a network needs root and the ip command: %v", err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("on its own network: %v", err)
	}
	return false
}

// A lan is machines on one network, each a network namespace. A machine can be cut off and put back.
//
//	the test 10.77.0.1 ── bridge ─┬─ veth ── machine 10.77.0.11
//	                              └─ veth ── machine 10.77.0.12 …
type lan struct{ t *testing.T }

// newLAN makes a network where the test is on its own.
func newLAN(t *testing.T) *lan {
	t.Helper()
	l := &lan{t}
	l.must("link set lo up")
	l.must("link add %s type bridge", l.name("br", 0))
	l.must("addr add %s/24 dev %s", l.address(1), l.name("br", 0))
	l.must("link set %s up", l.name("br", 0))
	return l
}

// name is that of something that belongs to a machine. The kernel allows 15 letters; those of namespaces are known all
// over this machine.
func (l *lan) name(what string, machine int) string {
	return fmt.Sprintf("lg%d%s%d", os.Getpid(), what, machine)
}

// address is that of a machine; 1 is the test.
func (l *lan) address(machine int) string { return fmt.Sprintf("10.77.0.%d", machine) }

// add adds a machine to the network, and returns the prefix of a command that runs on it.
func (l *lan) add(machine int) []string {
	l.t.Helper()
	space, here, there := l.name("ns", machine), l.name("v", machine), l.name("p", machine)
	l.must("netns add %s", space)
	l.t.Cleanup(func() { _, _ = l.ip("netns del %s", space) })
	l.must("link add %s type veth peer name %s", here, there)
	l.must("link set %s netns %s", there, space)
	l.must("link set %s master %s up", here, l.name("br", 0))
	l.must("-n %s addr add %s/24 dev %s", space, l.address(machine), there)
	l.must("-n %s link set %s up", space, there)
	l.must("-n %s link set lo up", space)
	return []string{"ip", "netns", "exec", space}
}

// cut takes a machine off the network, and join puts it back.
func (l *lan) cut(machine int)  { l.must("link set %s down", l.name("v", machine)) }
func (l *lan) join(machine int) { l.must("link set %s up", l.name("v", machine)) }

// renumber gives a machine the address of another one, in place of its own.
func (l *lan) renumber(machine, to int) {
	l.must("-n %s addr del %s/24 dev %s", l.name("ns", machine), l.address(machine), l.name("p", machine))
	l.must("-n %s addr add %s/24 dev %s", l.name("ns", machine), l.address(to), l.name("p", machine))
}

func (l *lan) must(format string, args ...any) {
	l.t.Helper()
	if out, err := l.ip(format, args...); err != nil {
		l.t.Fatalf("ip "+format+": %v: %s", append(args, err, out)...)
	}
}

func (l *lan) ip(format string, args ...any) (string, error) {
	out, err := exec.Command("ip", strings.Fields(fmt.Sprintf(format, args...))...).CombinedOutput()
	return string(out), err
}
