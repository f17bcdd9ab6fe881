package journey

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"agentleague/rpc/rpctest"
)

// students is the size of the class.
const students = 30

// laptop returns the address of a student's machine.
func laptop(n int) string { return fmt.Sprintf("192.168.1.%d", 23+n) }

// A class is the league of a teacher, with a program on each student's laptop.
type class struct {
	*journey
	names    []string
	keys     map[string]string // by name
	manager  *process
	programs map[string]*process
	enter    []string // the network of the students
}

// A teacher has 30 students play, each at an own address. Programs are restarted, refused, withdrawn and readmitted, a
// match is played again, and the results are exported and verified.
func TestLongTeacher(t *testing.T) {
	t.Parallel()
	c := &class{journey: begin(t, teacher), keys: map[string]string{}, programs: map[string]*process{}}
	c.connect()
	c.invite()
	last := students - 1
	for n := range last {
		c.join(n)
	}
	c.waitFor("29 of 30")
	c.contains(c.run("league status"), c.names[last])
	c.restart()
	c.join(last)
	c.manager.prints("round 1 of 7")
	c.trouble()
	c.end()
}

// connect puts the address of the guide on the teacher's network, and those of the students on another one: to the
// manager they are other machines.
func (c *class) connect() {
	c.t.Helper()
	room := exec.Command("sleep", "infinity")
	room.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if err := room.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _, _ = room.Process.Kill(), room.Wait() })
	pid := fmt.Sprint(room.Process.Pid)
	c.enter = []string{"nsenter", "--target", pid, "--net"}
	here := "ip link add desk type veth peer name laptops netns " + pid + "\nip addr add 192.168.1.10/24 dev desk\nip link set desk up\n"
	there := "ip link set lo up\nip link set laptops up\n"
	for n := range students {
		there += "ip addr add " + laptop(n) + "/24 dev laptops\n"
	}
	shell(c.t, here+strings.Join(c.enter, " ")+" sh -ec '"+there+"'")
}

// desk opens a terminal on a student's laptop.
func (c *class) desk(name string) *terminal {
	d := c.at(name)
	d.enter = c.enter
	return d
}

// invite starts the league of the roster, which prints a line for each student.
func (c *class) invite() {
	roster := c.block("docs/guide/teaching.md", "csv", "Team Fox")
	for n := strings.Count(roster, "\n"); n <= students; n++ {
		roster += fmt.Sprintf("Team %d\n", n)
	}
	c.write("class.csv", roster)
	c.manager = c.start("league class").prints("--seal ")
	c.fill("501c0a2f3b1498a37a9953a843e45fd6", found(c.t, `--seal (\w+)`, c.manager.text()))
	lines := regexp.MustCompile(`(?m)^(Team .*)\n  league player --manager http://192\.168\.1\.10:8000/k/(\w+)/mcp$`).FindAllStringSubmatch(c.manager.text(), -1)
	if len(lines) != students {
		c.t.Fatalf("%d join lines", len(lines))
	}
	for _, line := range lines {
		c.names, c.keys[line[1]] = append(c.names, line[1]), line[2]
	}
}

// join starts the program of a student: for every fifth one, the kit in Python.
func (c *class) join(n int) *process {
	c.t.Helper()
	name := c.names[n]
	c.fill("nbheh22jrhsn83dkxbk9jsw75f", c.keys[name])
	words := "league player --manager"
	if n%5 == 4 {
		words = "python3 player.py"
		if _, err := os.Stat(filepath.Join(c.dir, name)); err != nil {
			c.begin(fmt.Sprintf("league new player %q --lang python", name)).ends()
		}
	}
	c.programs[name] = c.desk(name).start(words)
	return c.programs[name]
}

// id returns the player's id in the league.
func (c *class) id(name string) string {
	c.t.Helper()
	return found(c.t, regexp.QuoteMeta(name)+` has joined as (P\d+)`, c.manager.text())
}

// waitFor waits until the status has some words in it.
func (c *class) waitFor(words string) {
	c.t.Helper()
	rpctest.Until(c.t, words, func() (status string, ok bool) {
		status = c.also("league status")
		return status, strings.Contains(status, words)
	})
}

// restart starts two programs again before the start. The first has its files and is the same team at once; the second
// has lost them, and needs a code.
func (c *class) restart() {
	c.t.Helper()
	fox, owl := c.names[0], c.names[1]
	c.programs[fox].interrupt()
	c.join(0).prints("is " + c.id(fox))

	c.programs[owl].interrupt()
	c.lose(owl)
	c.fill("P03", c.id(owl))
	c.fill("…", "--manager http://192.168.1.10:8000/k/"+c.keys[owl]+"/mcp")
	refusal := c.desk(owl).refused(`league player --name "Team Owl"`)
	c.fill("ZDXF", found(c.t, c.id(owl)+` registered with another key; .* league readmit P\d+ (\w+)`, strings.ReplaceAll(refusal, "`", " ")))
	c.contains(c.run("league readmit P03"), "is admitted when it registers again")
	c.programs[owl] = c.desk(owl).start(`league player --name "Team Owl"`).prints("is " + c.id(owl))
}

// lose removes the files of a program.
func (c *class) lose(name string) {
	c.t.Helper()
	if err := os.RemoveAll(filepath.Join(c.dir, name, "SHARED")); err != nil {
		c.t.Fatal(err)
	}
}

// trouble withdraws and readmits a team while the league is played, and has a match played again.
func (c *class) trouble() {
	c.t.Helper()
	c.also("league pause")
	bear := c.names[3]
	c.fill("P04", c.id(bear))
	c.also("league withdraw P04")
	c.programs[bear].interrupt()
	refusal := c.again(bear)
	c.contains(refusal, "is out of the league (withdrawn)")
	c.contains(c.run("league readmit P04"), "is back in the league")
	c.join(3).prints("is " + c.id(bear))
	c.contains(c.run("league annul R1M1"), "the match will be played again")
	c.also("league resume")
}

// again starts the program of a team that is out, and returns the refusal.
func (c *class) again(name string) string {
	c.t.Helper()
	p := c.join(3)
	if p.status() == 0 {
		c.t.Errorf("a team that is out was not refused:\n%s", p.text())
	}
	return p.text()
}

// end waits for the end of the league and verifies it. Each program ends successfully, and has a result of each match.
func (c *class) end() {
	c.t.Helper()
	text := c.manager.prints("--head ").text()
	c.fill("589cfcb08930892c9a2ae65a6ddd654a", found(c.t, `--head (\w+)`, text))
	for _, name := range c.names {
		c.programs[name].ends()
	}
	c.contains(c.run("league export gradebook"), "The gradebook is in grades.csv")
	c.contains(c.run("cat grades.csv"), append(c.names, "name,agent,player_id,present,rounds,rank")...)
	c.run("league export results")
	results, err := os.ReadFile(filepath.Join(c.dir, "results.csv"))
	if got, want := strings.Count(string(results), "\n"), 1+7*students/2; err != nil || got != want {
		c.t.Errorf("results.csv has %d lines, want %d (%v)", got, want, err)
	}
	c.contains(c.run("league verify"), "Nothing differs")
	c.also("league export report --out report.html")
}

// found returns the first group of a pattern in a text.
func found(t *testing.T, pattern, text string) string {
	t.Helper()
	groups := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if groups == nil {
		t.Fatalf("%s is missing in:\n%s", pattern, text)
	}
	return groups[1]
}
