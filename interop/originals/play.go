//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"agentleague/store"
)

const manager = "http://localhost:8000/mcp"

// A stage holds the processes of one run, and the folder with their logs and root folders.
type stage struct {
	options
	program program
	started []*exec.Cmd
}

// playOne plays one direction, in the network namespace of this process.
func playOne(o options, programs []program, direction string) error {
	if err := errors.Join(os.RemoveAll(o.out), os.MkdirAll(o.out, 0o755)); err != nil {
		return err
	}
	if out, err := exec.Command("ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		return fmt.Errorf("ip link set lo up: %w: %s", err, out)
	}
	p := programs[0]
	s := &stage{options: o, program: p}
	defer s.end()
	switch direction {
	case "a":
		return s.host("player", p.Theirs, 2, 8151)
	case "m":
		return s.mix(programs)
	case "s":
		return s.late(programs)
	case "b":
		return s.host("referee", 1, 4, 8101)
	case "c":
		return s.visit(false)
	case "d":
		return s.visit(true)
	}
	return fmt.Errorf("no direction %q", direction)
}

// host plays a league under our manager: some of their agents in a role, and our players from the given port on.
func (s *stage) host(role string, theirs, players, port int) error {
	total := players
	if role == "player" {
		total += theirs
	}
	s.ours("manager", "manager", "--start-when", fmt.Sprintf("players=%d,referees=1", total), "--start-after", "10m")
	s.upTo(1)
	if role == "player" {
		s.ours("manager-referee", "referee", "--root", s.at("manager"), "--port", "8001")
	}
	for n := range theirs {
		s.theirs(fmt.Sprint("their", n+1), role, n+1)
	}
	if !s.wait(30*time.Second, func() bool { return s.registered(role) >= theirs }) {
		first := map[string]int{"player": 8101, "referee": 8001}[role]
		for n := range theirs {
			_ = s.league("enlist", fmt.Sprintf("http://localhost:%d/mcp", first+n), "--role", role, "--root", s.at("manager")).Run()
		}
	}
	for n := range players {
		s.ours(fmt.Sprint("our", n+1), "player", "--port", fmt.Sprint(port+n), "--name", fmt.Sprint("Our", n+1))
	}
	return s.outcome(total)
}

// mix plays a league under our manager with two players of every program and two of ours. Programs whose players take
// no port argument use the ports from 8101 on.
func (s *stage) mix(programs []program) error {
	total := 2*len(programs) + 2
	s.ours("manager", "manager", "--start-when", fmt.Sprintf("players=%d,referees=1", total))
	s.upTo(1)
	s.ours("manager-referee", "referee", "--root", s.at("manager"), "--port", "8001")
	for n := range 2 {
		s.enter(programs, n)
	}
	return s.outcome(total)
}

// late plays a Swiss league under our manager that starts with one player of every program and one of ours. The second
// ones join while it is played.
func (s *stage) late(programs []program) error {
	first := len(programs) + 1
	s.ours("manager", "manager", "--start-when", fmt.Sprintf("players=%d,referees=1", first), "--format", "swiss",
		"--rounds", "12", "--late", "12", "--pace", "10s")
	s.upTo(1)
	s.ours("manager-referee", "referee", "--root", s.at("manager"), "--port", "8001")
	s.enter(programs, 0)
	if !s.wait(time.Minute, func() bool { return s.status().State == "RUNNING_LEAGUE" }) {
		return errors.New("the league does not start: " + s.status().WaitsFor)
	}
	s.enter(programs, 1)
	return s.finished(func(status standing) bool { return s.registered("player") == 2*first && status.Matches > 12*(first/2) })
}

// enter starts player n of every program, and one of ours.
func (s *stage) enter(programs []program, n int) {
	for i, p := range programs {
		s.program = p
		port, before := 8110+2*i+n, s.registered("player")
		s.theirs(fmt.Sprint(p.name, n+1), "player", n+1, port)
		if !s.wait(30*time.Second, func() bool { return s.registered("player") > before }) {
			_ = s.league("enlist", fmt.Sprintf("http://localhost:%d/mcp", port), "--role", "player", "--root", s.at("manager")).Run()
		}
	}
	s.ours(fmt.Sprint("our", n+1), "player", "--port", fmt.Sprint(8151+n), "--name", fmt.Sprint("Our", n+1))
}

// outcome waits for the end of our league, prints the result, and returns an error unless all players played all matches.
func (s *stage) outcome(players int) error {
	matches := players * (players - 1) / 2
	return s.finished(func(status standing) bool { return status.Matches == matches })
}

// finished is outcome for a league with any number of matches, which whole checks.
func (s *stage) finished(whole func(standing) bool) error {
	over := s.wait(s.within, func() bool { return s.status().State == "LEAGUE_COMPLETED" })
	status := s.status()
	played, lost := s.results()
	s.wait(10*time.Second, func() bool { // records are written after the end
		played, lost = s.results()
		return !over || played == status.Matches
	})
	words := fmt.Sprintf("%d of %d matches, %d technical losses, %d players", played, status.Matches, lost, s.registered("player"))
	if !over {
		words += "; it stands: " + status.WaitsFor
	}
	fmt.Println(words)
	if !over || lost > 0 || played != status.Matches || !whole(status) {
		return errors.New("see " + s.out)
	}
	return nil
}

// visit plays a league under their manager with some of our players, and with our referee if judges is set.
func (s *stage) visit(judges bool) error {
	p := s.program
	s.theirs("manager", "manager", 0)
	s.upTo(1)
	for n := range p.Referees {
		if judges {
			s.ours(fmt.Sprint("referee", n+1), "referee", "--port", fmt.Sprint(8001+n), "--name", fmt.Sprint("OurRef", n+1))
		} else {
			s.theirs(fmt.Sprint("referee", n+1), "referee", n+1)
		}
	}
	s.upTo(1 + p.Referees)
	time.Sleep(4 * time.Second) // they register once they listen
	for n := range p.Theirs {
		s.theirs(fmt.Sprint("their", n+1), "player", n+1)
	}
	s.upTo(1 + p.Referees + p.Theirs)
	time.Sleep(6 * time.Second)
	for n := range p.Ours {
		id := fmt.Sprintf("P%02d", p.Theirs+n+1)
		name := fmt.Sprint("our", n+1)
		s.ours(name, "player", "--port", fmt.Sprint(8101+p.Theirs+n), "--id", id, "--name", fmt.Sprint("Our", n+1))
		s.wait(10*time.Second, func() bool { // some managers number players as they come, and find P03 at port 8103
			text, _ := os.ReadFile(s.at(name) + ".log")
			return strings.Contains(string(text), "registered as")
		})
	}
	s.upTo(1 + p.Referees + p.Theirs + p.Ours)
	time.Sleep(6 * time.Second)
	s.theirs("start", "start", 0)
	want := p.Ours * (p.Theirs + p.Ours - 1)
	if p.Silent { // its referees send no results
		want = 0
	}
	s.wait(s.within, func() bool { return s.heard() >= max(want, 1) })
	heard, judged := s.heard(), s.judged()
	fmt.Printf("our players know the result of %d of %d matches", heard, want)
	if all := (p.Theirs + p.Ours) * (p.Theirs + p.Ours - 1) / 2; judges {
		fmt.Printf(", our referee played %d of %d\n", judged, all)
		if judged < all || heard < want {
			return errors.New("see " + s.out)
		}
		return nil
	}
	fmt.Println()
	if heard < want {
		return errors.New("see " + s.out)
	}
	return nil
}

// at is the root of a process of ours.
func (s *stage) at(name string) string { return filepath.Join(s.out, name) }

// ours starts our program. It has a new root folder unless the arguments name one.
func (s *stage) ours(name, verb string, args ...string) {
	all := append([]string{verb, "--root", s.at(name), "--log-level", "info"}, args...)
	s.start(name, s.league(all...))
}

func (s *stage) league(args ...string) *exec.Cmd {
	cmd := exec.Command(s.options.league, args...)
	cmd.Dir = s.out
	return cmd
}

// theirs starts a third-party program in a role. n is its number among several agents, or 0 to omit it.
func (s *stage) theirs(name, role string, n int, port ...int) {
	args := []string{s.program.script, role}
	if n > 0 {
		args = append(args, fmt.Sprint(n))
	}
	for _, at := range port {
		args = append(args, fmt.Sprint(at))
	}
	cmd := exec.Command("bash", args...)
	cmd.Dir, cmd.Env = s.out, append(os.Environ(), "WORK="+s.at("work"))
	s.start(name, cmd)
}

func (s *stage) start(name string, cmd *exec.Cmd) {
	log, err := os.Create(s.at(name) + ".log")
	if err != nil {
		fmt.Println(err)
		return
	}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		fmt.Println(name+":", err)
		return
	}
	s.started = append(s.started, cmd)
}

// end stops every process and its children.
func (s *stage) end() {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		for _, cmd := range s.started {
			_ = syscall.Kill(-cmd.Process.Pid, sig)
		}
		time.Sleep(500 * time.Millisecond)
	}
	for _, cmd := range s.started {
		_ = cmd.Wait()
	}
}

// wait polls until ok returns true or the time is over, and returns whether ok did.
func (s *stage) wait(most time.Duration, ok func() bool) bool {
	for end := time.Now().Add(most); !ok(); time.Sleep(500 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// upTo waits until n ports are listened on.
func (s *stage) upTo(ports int) {
	s.wait(time.Minute, func() bool {
		out, _ := exec.Command("ss", "-Hltn").Output()
		seen := map[string]bool{}
		for line := range strings.Lines(string(out)) {
			if f := strings.Fields(line); len(f) > 3 {
				seen[f[3][strings.LastIndex(f[3], ":")+1:]] = true
			}
		}
		return len(seen) >= ports
	})
}

// A standing is the status of our league.
type standing struct {
	State    string            `json:"state"`
	Matches  int               `json:"matches"`
	WaitsFor string            `json:"waits_for"`
	Players  []json.RawMessage `json:"players"`
	Referees []json.RawMessage `json:"referees"`
}

func (s *stage) status() (out standing) {
	text, _ := s.league("status", "--root", s.at("manager"), "--manager", manager, "--json").Output()
	_ = json.Unmarshal(text, &out)
	return out
}

func (s *stage) registered(role string) int {
	if role == "player" {
		return len(s.status().Players)
	}
	return len(s.status().Referees)
}

// results counts the recorded matches of our league, and those that ended in a technical loss.
func (s *stage) results() (played, lost int) {
	names, _ := filepath.Glob(filepath.Join(s.at("manager"), "data", "matches", "*", "*.json"))
	for _, name := range names {
		var record struct {
			Result struct {
				Status string `json:"status"`
			} `json:"result"`
		}
		text, err := os.ReadFile(name)
		if err != nil || json.Unmarshal(text, &record) != nil {
			continue
		}
		if played++; record.Result.Status == "TECHNICAL_LOSS" {
			lost++
		}
	}
	return played, lost
}

// heard counts the results in the histories of our players.
func (s *stage) heard() (n int) {
	names, _ := filepath.Glob(filepath.Join(s.out, "our*", "data", "players", "*", "history.json"))
	for _, name := range names {
		var history struct {
			Matches []struct {
				Result string `json:"result"`
			} `json:"matches"`
		}
		text, err := os.ReadFile(name)
		if err != nil || json.Unmarshal(text, &history) != nil {
			continue
		}
		for _, m := range history.Matches {
			if m.Result == "WIN" || m.Result == "LOSS" || m.Result == "DRAW" {
				n++
			}
		}
	}
	return n
}

// judged counts the matches that our referees have finished without a technical loss.
func (s *stage) judged() (n int) {
	roots, _ := filepath.Glob(filepath.Join(s.out, "referee*"))
	for _, root := range roots {
		shown := store.ShowRecords(os.DirFS(root))
		names, _ := fs.Glob(shown, "data/referees/*/*/*.json")
		for _, name := range names {
			text, _ := fs.ReadFile(shown, name)
			if strings.Contains(string(text), `"FINISHED"`) && !strings.Contains(string(text), `"TECHNICAL_LOSS"`) {
				n++
			}
		}
	}
	return n
}
