package chaos_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"agentleague/rpc/rpctest"
)

// TestLongClusterRefusesManagersOfAnotherFormat starts a manager of the next version, which has another format, beside
// running ones, then alone, and then one of this version after it.
func TestLongClusterRefusesManagersOfAnotherFormat(t *testing.T) {
	if !onOwnNetwork(t) {
		return
	}
	g := newGroup(t)
	next := buildNext(t)
	newer := g.manager(3, next)
	newer.refused(0, "join the cluster: incompatible versions: manager http://", " runs version ",
		fmt.Sprintf("this is version %s (format ", nextVersion), "stop every manager, then start all with one version")
	named := func(i int) bool { return strings.Contains(newer.said(), "manager "+g.url(i)+" runs ") }
	if !named(0) && !named(1) && !named(2) {
		t.Errorf("no running manager is named: %s", tail(newer.said()))
	}
	resp, err := http.Get(g.url(0) + "/readyz")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("the manager beside the refused one: %v, %v", resp, err)
	}
	_ = resp.Body.Close()
	for _, m := range g.managers {
		if err := m.interrupt(); err != nil {
			t.Error(err)
		}
	}
	newer.start()
	rpctest.Eventually(t, "the newer manager alone", func() bool { return strings.Contains(newer.said(), "Watch it at") })
	used := fmt.Sprintf("incompatible versions: manager http://%s:%d used version %s (format ", g.lan.address(firstManager+3), managerPort, nextVersion)
	for _, killed := range []bool{false, true} { // the newer one is alive, and then dead
		if killed {
			newer.kill()
		}
		before := len(g.managers[1].said())
		g.managers[1].start()
		g.managers[1].refused(before, used, "it cannot read the newer logs: install that version here")
	}
	newer.start()
	rpctest.Eventually(t, "the newer manager again", func() bool { return strings.Count(newer.said(), "Watch it at") == 2 })
}

// refused waits until the process has ended, and fails the test unless it has failed with an error of these parts, in its
// output from an offset.
func (a *agent) refused(from int, parts ...string) {
	a.t.Helper()
	<-a.exited
	said := a.said()[from:]
	for _, part := range parts {
		if !strings.Contains(said, part) || a.cmd.ProcessState.ExitCode() != 1 {
			a.t.Errorf("%s: exit code %d, want 1 and %q: %s", a.name, a.cmd.ProcessState.ExitCode(), part, tail(said))
		}
	}
}
