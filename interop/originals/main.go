//go:build linux

// Command originals plays third-party programs, as their authors wrote them, in several directions, each run in a network
// namespace of its own, and prints a table:
//
//	a  two of their players with two of ours, under our manager and referee
//	b  their referee under our manager, with four of our players
//	c  our players in their league
//	d  our referee in their league
//	m  two players of every program and two of ours in one league, under our manager and referee
//	s  the same as a Swiss league, which the second players join late
//
// It takes a folder with a script for each program:
//
//	NAME.sh player|referee N [PORT]   starts a player or a referee
//	NAME.sh manager            starts the manager, at port 8000
//	NAME.sh start              starts the league, if the manager waits for that
//	NAME.json                  optional: {"theirs": 1, "ours": 1, "referees": 2, "directions": "a", "silent": true}
//
// Run it as root: it creates network namespaces, since these programs use fixed ports.
//
//	go build -o league ./cmd/league && go run ./interop/originals --league ./league --runs 3 FOLDER
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// A program is a third-party program.
type program struct {
	name   string
	script string

	Theirs     int    `json:"theirs"`     // players of theirs in a league
	Ours       int    `json:"ours"`       // players of ours in their league
	Referees   int    `json:"referees"`   // that their league wants
	Directions string `json:"directions"` // that are tried
	Silent     bool   `json:"silent"`     // its referees send players no results
}

// Options are those of the command line.
type options struct {
	league     string // our program
	out        string // a folder for logs
	directions string
	runs       int
	within     time.Duration // of one run
}

func main() {
	var o options
	one := flag.String("one", "", "run one direction of one program, in this network namespace")
	flag.StringVar(&o.league, "league", "league", "our program")
	flag.StringVar(&o.out, "out", filepath.Join(os.TempDir(), "originals"), "a folder for logs")
	flag.StringVar(&o.directions, "directions", "abcdms", "which to try")
	flag.IntVar(&o.runs, "runs", 1, "how often each is tried")
	flag.DurationVar(&o.within, "within", 150*time.Second, "how long one may take")
	flag.Parse()
	if err := run(o, *one, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "originals:", err)
		os.Exit(1)
	}
}

func run(o options, one string, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("give the folder with the scripts of the programs")
	}
	league, err := exec.LookPath(o.league)
	if err != nil {
		return err
	}
	if o.league, err = filepath.Abs(league); err != nil {
		return err
	}
	programs, err := programsIn(args[0], args[1:])
	if err != nil {
		return err
	}
	if one != "" {
		return playOne(o, programs, one)
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "program\tdirection\truns\twhat happened")
	for _, p := range programs {
		for _, direction := range o.directions {
			if strings.ContainsRune(p.Directions, direction) {
				o.try(table, p.name, args[0], string(direction), p.name)
			}
		}
	}
	for _, together := range []string{"m", "s"} {
		if strings.Contains(o.directions, together) {
			o.try(table, "all", args[0], together, args[1:]...)
		}
	}
	return table.Flush()
}

// programsIn lists the programs of a folder, or only those with the given names.
func programsIn(folder string, names []string) (out []program, err error) {
	scripts, _ := filepath.Glob(filepath.Join(folder, "*.sh"))
	for _, script := range scripts {
		p := program{name: strings.TrimSuffix(filepath.Base(script), ".sh"), Theirs: 2, Ours: 2, Referees: 1, Directions: "abcd"}
		if p.script, err = filepath.Abs(script); err != nil {
			return nil, err
		}
		text, err := os.ReadFile(strings.TrimSuffix(script, ".sh") + ".json")
		if err == nil {
			err = json.Unmarshal(text, &p)
		} else if os.IsNotExist(err) {
			err = nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s.json: %w", p.name, err)
		}
		if slices.Contains(names, p.name) || len(names) == 0 {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no such program in %s", folder)
	}
	return out, nil
}

// try plays one direction o.runs times, each in a separate network namespace, and adds a line to the table.
func (o options) try(table *tabwriter.Writer, who, folder, direction string, names ...string) {
	well := 0
	var said []string
	for n := range o.runs {
		cmd := exec.Command("/proc/self/exe", "--one", direction, "--league", o.league, "--within", o.within.String(),
			"--out", filepath.Join(o.out, fmt.Sprintf("%s-%s-%d", who, direction, n+1)), folder)
		cmd.Args = append(cmd.Args, names...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
		out, err := cmd.CombinedOutput()
		if err == nil {
			well++
		}
		if words := strings.TrimSpace(string(out)); !slices.Contains(said, words) {
			said = append(said, words)
		}
	}
	fmt.Fprintf(table, "%s\t%s\t%d of %d\t%s\n", who, direction, well, o.runs, strings.Join(said, " | "))
	_ = table.Flush()
}
