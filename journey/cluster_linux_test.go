package journey

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agentleague/rpc/rpctest"
)

// An operator starts three NATS servers and three managers on three machines, and agents on a fourth. One manager is
// killed while its league is played.
func TestLongCluster(t *testing.T) {
	t.Parallel()
	j := begin(t, cluster)
	build(t, "nats-server", "github.com/nats-io/nats-server/v2")
	shell(t, "ip link add lan type bridge\nip link set lan up")
	var machines []*terminal
	for n := range 3 {
		machines = append(machines, j.machine(fmt.Sprintf("10.0.0.1%d", n+1)))
	}
	j.nodes(machines)
	managers := j.managers(machines)

	agents := j.machine("10.0.0.31")
	secret, err := os.ReadFile(filepath.Join(machines[0].dir, "SHARED/data/secrets/referee"))
	if err != nil {
		t.Fatal(err)
	}
	j.write("10.0.0.31/referee-secret", string(secret))
	referee := agents.start("league referee").prints("listens at")
	j.contains(machines[1].run("league create"), "spring")
	first := j.owner(managers, "Took over spring")
	var players []*process
	for range 4 {
		players = append(players, agents.start("league player").prints("registered with"))
	}
	j.contains(machines[2].run("league status"), "Team Fox", "Team Elk")
	referee.prints("R1M1")
	_ = managers[first].cmd.Process.Signal(syscall.SIGKILL)
	managers[first].status()
	last := j.owner(managers, "Took over spring from http://10.0.0.1"+fmt.Sprint(first+1)+":8000")
	machines[first].start("env $(cat manager.env) league manager --host 10.0.0.1" + fmt.Sprint(first+1)).prints("Watch it at")
	for _, p := range players {
		p.ends()
	}
	j.contains(machines[0].run("league standings"), "Team Owl")
	rpctest.Until(t, "the records of all matches", func() (out string, held bool) {
		out, status := machines[last].end("league verify")
		return out, status == 0 && strings.Contains(out, "Nothing differs")
	})
}

// owner waits until a manager prints that it took the league over, and returns its number.
func (j *journey) owner(managers []*process, sentence string) (number int) {
	j.t.Helper()
	rpctest.Until(j.t, sentence, func() (texts string, found bool) {
		for n, m := range managers {
			if texts += m.text(); strings.Contains(m.text(), sentence+"\n") {
				number, found = n, true
			}
		}
		return texts, found
	})
	return number
}

// nodes starts a NATS server on each machine.
func (j *journey) nodes(machines []*terminal) {
	for n, m := range machines {
		j.write(fmt.Sprintf("10.0.0.1%d/nats.conf", n+1), j.block("docs/guide/cluster.md", "nats", "sync_interval"))
		m.start("nats-server").prints("Listening for client connections")
	}
}

// managers starts a manager on each machine.
func (j *journey) managers(machines []*terminal) (out []*process) {
	for n, m := range machines {
		j.write(fmt.Sprintf("10.0.0.1%d/manager.env", n+1), j.block("docs/guide/cluster.md", "env", "LEAGUE_ENGINE"))
		out = append(out, m.start("env $(cat manager.env)"))
	}
	for _, p := range out {
		p.prints("Watch it at")
	}
	return out
}

// machine opens a terminal on a machine of the test's network, with an address and a folder of the same name.
func (j *journey) machine(address string) *terminal {
	j.t.Helper()
	d := j.at(address)
	host := exec.Command("sleep", "infinity")
	host.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if err := host.Start(); err != nil {
		j.t.Fatal(err)
	}
	j.t.Cleanup(func() { _, _ = host.Process.Kill(), host.Wait() })
	pid := fmt.Sprint(host.Process.Pid)
	d.enter = []string{"nsenter", "--target", pid, "--net"}
	port := "lan" + address[strings.LastIndexByte(address, '.')+1:]
	shell(j.t, strings.NewReplacer("PORT", port, "PID", pid, "ADDRESS", address).Replace(
		"ip link add PORT type veth peer name eth0 netns PID\nip link set PORT master lan up\n"+
			"nsenter --target PID --net sh -ec 'ip link set lo up; ip addr add ADDRESS/24 dev eth0; ip link set eth0 up'"))
	return d
}

// build builds a program of a module that go.mod names, next to the program under test.
func build(t *testing.T, name, module string) {
	t.Helper()
	self, err := exec.LookPath("league")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", filepath.Join(filepath.Dir(self), name), module).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
