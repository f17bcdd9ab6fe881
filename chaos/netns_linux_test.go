package chaos_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
)

// A lan is machines on one network, each a network namespace of this one. A machine can be cut off and put back.
//
//	this machine 10.77.N.1 ── bridge ─┬─ veth ── machine 10.77.N.11
//	                                  └─ veth ── machine 10.77.N.12 …
type lan struct {
	t      *testing.T
	number int // of the network, N
}

// lans counts the networks of this process.
var lans atomic.Int32

// newLAN makes a network, or says why this machine cannot have one: with CI=true that is a failure.
func newLAN(t *testing.T) *lan {
	t.Helper()
	l := &lan{t: t, number: (os.Getpid() + int(lans.Add(1))) % 250} // what the last one had the kernel may still be taking down
	if out, err := l.ip("link add %s type bridge", l.name("br", 0)); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no network namespaces here: %v: %s", err, out)
		}
		t.Skipf("no machine is cut off: making a network needs root and the ip command: %v: %s", err, out)
	}
	t.Cleanup(func() { _, _ = l.ip("link del %s", l.name("br", 0)) })
	l.must("addr add %s/24 dev %s", l.address(1), l.name("br", 0))
	l.must("link set %s up", l.name("br", 0))
	return l
}

// name is that of something that belongs to a machine. The kernel allows 15 letters.
func (l *lan) name(what string, machine int) string {
	return fmt.Sprintf("lg%d%s%d", l.number, what, machine)
}

// address is that of a machine; 1 is this one.
func (l *lan) address(machine int) string { return fmt.Sprintf("10.77.%d.%d", l.number, machine) }

// add puts a machine on the network, and returns what a command on it begins with.
func (l *lan) add(machine int) []string {
	l.t.Helper()
	space, here, there := l.name("ns", machine), l.name("v", machine), l.name("p", machine)
	l.must("netns add %s", space)
	l.t.Cleanup(func() {
		_, _ = l.ip("link del %s", here)
		_, _ = l.ip("netns del %s", space)
	})
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
