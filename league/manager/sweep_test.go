package manager_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/engine/sim"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// The sweep takes a small league, lists every step of a run in which nothing goes wrong, and then runs it once for each
// of them and each way in which it can fail there. Up to its fault every such run is the first one again, so that none
// is missed.

// A point is a fault at one step of a run.
type point struct {
	step string        // without its time
	at   time.Duration // of the step
	what string
	who  string // which machine crashes
	peer string // and which other one is cut off from it
}

// The ways in which a step can fail.
const (
	crashBefore = "crash before" // the effect does not come about
	crashAfter  = "crash after"  // after the step, before the acknowledgement
	failBefore  = "fail before"  // an error, and nothing is done
	failAfter   = "fail after"   // an error, and it is done
	loseAnswer  = "lose answer"  // it is done, and no answer comes
)

func (p point) String() string { return fmt.Sprintf("%s at %v: %s %s", p.step, p.at, p.what, p.who) }

// points lists how a step can fail.
func points(line string) (out []point) {
	stamp, step, _ := strings.Cut(line, " ")
	var sec float64
	_, _ = fmt.Sscan(stamp, &sec)
	p := point{step: step, at: time.Duration(sec * float64(time.Second))}
	with := func(what, who string) {
		p.what, p.who = what, who
		out = append(out, p)
	}
	name, rest, _ := strings.Cut(step, " ")
	if host, message, ok := strings.Cut(strings.TrimPrefix(rest, "> "), " "); ok && strings.HasPrefix(rest, "> ") {
		to := machineAt(host)
		p.peer = to
		switch {
		case strings.HasSuffix(message, "arrives"):
			with(crashBefore, to)
			with(crashAfter, to)
			with(crashAfter, name)
		case strings.HasSuffix(message, "answered"):
			with(crashBefore, name)
			with(loseAnswer, name)
		}
		return out
	}
	switch key := strings.Split(rest, " #")[0]; {
	case strings.HasPrefix(rest, "sleeps: "):
	case strings.HasSuffix(key, " before"):
		with(crashBefore, name)
		if name == "LM" {
			p.step = strings.TrimSuffix(key, " before")
			with(failBefore, name)
			with(failAfter, name)
		}
	case strings.HasSuffix(key, " after"):
		with(crashBefore, name) // before the answer, after the effect
	case strings.HasPrefix(key, "read "):
		with(crashBefore, name)
		p.step = key
		with(failBefore, name)
		with(failAfter, name)
	}
	return out
}

// machineAt is the name of the machine at an address of [world.boot].
func machineAt(host string) string {
	var port int
	_, _ = fmt.Sscanf(host, "localhost:%d", &port)
	switch {
	case port == 8000:
		return "LM"
	case port > 8100:
		return protocol.AgentID(protocol.RolePlayer, port-8100)
	}
	return protocol.AgentID(protocol.RoleReferee, port-8000)
}

// A small league is the scenario of the sweep.
type small struct {
	referees, players int
	masked            []string // agents that imitate third-party ones
	lines             bool     // its records are single lines, as those of a large league
}

func (c small) String() string {
	name := fmt.Sprintf("%d referees, %d players, %d of another make", c.referees, c.players, len(c.masked))
	if c.lines {
		name += ", records as lines"
	}
	return name
}

var smalls = []small{
	{referees: 1, players: 2}, {referees: 2, players: 3}, {referees: 2, players: 4},
	{referees: 2, players: 3, masked: []string{"REF01", "P02"}},
}

// run plays the league with the changes of arrange, and checks the invariants.
func (c small) run(t *testing.T, arrange func(w *world)) (trace []string) {
	t.Helper()
	faults := rpctest.Faults{Delay: 20 * time.Millisecond}
	o := manager.Options{StartPlayers: c.players, StartReferees: c.referees}
	inWorld(t, 11, faults, o, func(w *world) {
		l := w.watchLaws(faults)
		w.supervised = true
		for _, name := range c.masked {
			w.masked[name] = true
		}
		arrange(w)
		for n := range c.referees {
			w.bootReferee(n + 1)
		}
		for n := range c.players {
			w.bootPlayer(n + 1)
		}
		go w.bootManager()
		if w.finish(2 * time.Hour) {
			l.check()
		}
		trace = w.net.Trace()
	})
	return trace
}

// points lists every way in which the league can fail once.
func (c small) points(t *testing.T) (all []point) {
	for _, line := range c.run(t, func(*world) {}) {
		all = append(all, points(line)...)
	}
	return all
}

// TestLongCrashAtEveryPoint crashes, fails or cuts off at every call to the engine, every write of a referee and every
// message. Each machine that crashes is started again with the same command. A newcomer waits for one point in ninety,
// `make test-all` for one in eighteen. With LEAGUE_SWEEP=all no point is left out.
func TestCrashAtAPointInNinety(t *testing.T) { crashAt(t, 90, func(int) bool { return true }) }

func TestLongCrashAtEveryPoint(t *testing.T) {
	every := 18
	if os.Getenv("LEAGUE_SWEEP") == "all" {
		every = 1
	}
	crashAt(t, every, func(i int) bool { return i%90 != 0 })
}

// crashAt injects a crash at every n-th of the wanted points.
func crashAt(t *testing.T, every int, wanted func(i int) bool) {
	for _, c := range smalls {
		t.Run(c.String(), func(t *testing.T) {
			all, ways, tried := c.points(t), map[string]int{}, 0
			for i := range all {
				ways[all[i].what]++
				if i%every != 0 || !wanted(i) {
					continue
				}
				tried++
				t.Run(fmt.Sprint(i), func(t *testing.T) {
					t.Parallel()
					c.survive(t, all[i])
				})
			}
			t.Logf("%d of %d points: %v", tried, len(all), ways)
			if len(all) < 150 || len(ways) < 4 {
				t.Errorf("%d points and %d ways to fail: this shows too little", len(all), len(ways))
			}
		})
	}
}

// survive runs the league with one fault.
func (c small) survive(t *testing.T, p point) {
	t.Helper()
	var hit func() bool
	c.run(t, func(w *world) { hit = w.strike(p) })
	if !hit() {
		t.Errorf("%s: it was never done: this shows nothing", p)
	}
	if t.Failed() {
		t.Logf("after %s", p)
	}
}

// strike schedules a fault. Hit reports whether it happened.
func (w *world) strike(p point) (hit func() bool) {
	var mu sync.Mutex
	done := false
	strike := func() {
		mu.Lock()
		defer mu.Unlock()
		done = true
	}
	const moment = time.Microsecond // more than the trace's times are rounded by
	switch p.what {
	case crashBefore:
		w.net.At(p.at-moment, "!", func() { strike(); w.crashFor(p.who) })
	case crashAfter:
		w.net.At(p.at+moment, "~", func() { strike(); w.crashFor(p.who) })
	case loseAnswer:
		w.net.At(p.at-moment, "!", func() {
			strike()
			w.mended(w.hurt("cut", p.who, p.peer))
			w.net.Cut(p.who, p.peer, true)
		})
		w.net.At(p.at+moment, "~", func() { w.net.Cut(p.who, p.peer, false) })
	case failBefore, failAfter:
		w.fault = func(key string) sim.Fault {
			mu.Lock()
			defer mu.Unlock()
			if done || key != p.step {
				return sim.None
			}
			done = true
			return map[string]sim.Fault{failBefore: sim.FailBefore, failAfter: sim.FailAfter}[p.what]
		}
	}
	return func() bool {
		mu.Lock()
		defer mu.Unlock()
		return done
	}
}

// crashFor crashes a machine and starts it again a while later.
func (w *world) crashFor(name string) {
	w.crashed(name)
	w.net.At(3*time.Second, "boot again", func() {
		var n int
		switch {
		case name == "LM":
			go w.bootManager()
		case scan(name, "REF%02d", &n):
			w.bootReferee(n)
		case scan(name, "P%02d", &n):
			w.bootPlayer(n)
		}
	})
}

func scan(name, format string, n *int) bool {
	_, err := fmt.Sscanf(name, format, n)
	return err == nil
}
