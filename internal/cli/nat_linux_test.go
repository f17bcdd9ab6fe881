package cli

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// An island is a network namespace from which a manager can be called, and in which nothing can be called: as behind a
// NAT. The test passes its connections on, and can cut and silence them.
//
//	agents ─▶ localhost:PORT of the island ── test ─▶ localhost:PORT, the manager
type island struct {
	t    *testing.T
	work chan func()  // runs in the namespace
	way  sync.RWMutex // is locked while the connections are silent

	mu    sync.Mutex
	conns map[net.Conn]bool
}

// newIsland makes an island on which the manager has its own address. The test is skipped where it may not make one.
func newIsland(t *testing.T, manager string) *island {
	t.Helper()
	u, err := url.Parse(manager)
	if err != nil {
		t.Fatal(err)
	}
	i := &island{t: t, work: make(chan func()), conns: map[net.Conn]bool{}}
	ready := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with its namespace
		err := syscall.Unshare(syscall.CLONE_NEWNET)
		if err == nil {
			err = exec.Command("ip", "link", "set", "lo", "up").Run()
		}
		var l net.Listener
		if err == nil {
			l, err = net.Listen("tcp", "127.0.0.1:"+u.Port())
		}
		ready <- err
		if err != nil {
			return
		}
		defer l.Close()
		go i.serve(l, "127.0.0.1:"+u.Port())
		for f := range i.work {
			f()
		}
	}()
	switch err := <-ready; {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatalf("no network of its own: %v", err)
	case err != nil:
		t.Skipf("a network of its own needs root and the ip command: %v", err)
	}
	t.Cleanup(func() { close(i.work); i.cut() })
	return i
}

// start runs a program on the island, in an empty folder.
func (i *island) start(name string, args ...string) *process {
	i.t.Helper()
	return i.startIn(i.t.TempDir(), name, args...)
}

// startIn runs a program on the island, in a folder.
func (i *island) startIn(dir, name string, args ...string) *process {
	i.t.Helper()
	p := &process{t: i.t, cmd: exec.Command(name, args...), exited: make(chan struct{})}
	p.cmd.Dir = dir
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.errs
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		i.t.Fatal(err)
	}
	started := make(chan error)
	i.work <- func() { started <- p.cmd.Start() }
	if err := <-started; err != nil {
		i.t.Fatal(err)
	}
	go func() {
		defer close(p.exited)
		_ = p.cmd.Wait()
	}()
	i.t.Cleanup(func() {
		_ = stdin.Close()
		_ = p.cmd.Process.Kill()
		<-p.exited
		if i.t.Failed() {
			i.t.Logf("%s %s:\n%s%s", name, strings.Join(args, " "), p.out.String(), p.errs.String())
		}
	})
	return p
}

// serve passes connections on to the manager.
func (i *island) serve(l net.Listener, manager string) {
	for {
		from, err := l.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", manager)
		if err != nil {
			_ = from.Close()
			continue
		}
		i.mu.Lock()
		i.conns[from], i.conns[to] = true, true
		i.mu.Unlock()
		go i.pass(from, to)
		go i.pass(to, from)
	}
}

// pass copies bytes, except while the connections are silent.
func (i *island) pass(from, to net.Conn) {
	defer func() {
		_, _ = from.Close(), to.Close()
		i.mu.Lock()
		defer i.mu.Unlock()
		delete(i.conns, from)
		delete(i.conns, to)
	}()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		i.way.RLock()
		if n > 0 {
			_, _ = to.Write(buf[:n])
		}
		i.way.RUnlock()
		if err != nil {
			return
		}
	}
}

// cut closes all connections.
func (i *island) cut() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for c := range i.conns {
		_ = c.Close()
	}
}

// silence passes nothing on for a while, and closes nothing.
func (i *island) silence(d time.Duration) {
	i.way.Lock()
	time.Sleep(d)
	i.way.Unlock()
}

// A natRow is a player in `league export players --json`.
type natRow struct {
	Player   string `json:"display_name"`
	Played   int    `json:"played"`
	Forfeits int    `json:"forfeits"`
}

// noForfeits checks that every player of a finished league has played so many matches and forfeited none.
func noForfeits(t *testing.T, root string, players, played int) {
	t.Helper()
	var table struct{ Players []natRow }
	text := said(t, root, "export", "players", "--json")
	if err := json.Unmarshal([]byte(text), &table); err != nil || len(table.Players) != players {
		t.Fatalf("%d players, want %d (%v):\n%s", len(table.Players), players, err, text)
	}
	for _, row := range table.Players {
		if row.Played != played || row.Forfeits != 0 {
			t.Errorf("%s played %d matches with %d forfeits, want %d and 0", row.Player, row.Played, row.Forfeits, played)
		}
	}
}

// Agents that cannot be called play a league: our player, a seat, third-party agents that answer directly and by callback
// through `league connect`, and MCP servers at an address and over standard input and output. None forfeits.
func TestLongAgentsBehindNATPlay(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "SHARED")
	said(t, root, "init")
	rewrite(t, filepath.Join(root, "config/system.json"), map[string]string{`"move_timeout_sec": 30`: `"move_timeout_sec": 4`})
	m := start(t, "manager", "--port", "0", "--root", root, "--start-when", "players=8,referees=1")
	manager := m.endpoint()
	i := newIsland(t, manager)
	i.start("league", "referee", "--port", "0", "--manager", manager).says("mailbox:")
	i.start("league", "player", "--name", "Ours", "--port", "0", "--manager", manager).says("mailbox:")
	i.start("league", "seat", "--stdio", "--name", "Seat", "--port", "0", "--manager", manager).says("mailbox:")
	for lang, command := range map[string][]string{"python": {"python3", "player.py"}, "node": {"node", "player.mjs"}} {
		need(t, command[0])
		dir := filepath.Join(t.TempDir(), lang)
		said(t, root, "new", "player", dir, "--lang", lang)
		i.startIn(dir, command[0], command[1], "--port", "0", "--manager", manager).says(" is P")
	}
	script, err := filepath.Abs("testdata/nat/agent.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, style := range []string{"sync", "callback"} {
		port := lastingPort()
		c := i.start("league", "connect", "http://127.0.0.1:"+port+"/mcp", "--to", manager, "--port", "0")
		c.says("as its manager's: http://")
		_, at, _ := strings.Cut(c.out.String(), "as its manager's: ")
		i.start("python3", script, style, port, strings.TrimSpace(at), style).says("ACCEPTED")
	}
	server, err := filepath.Abs("testdata/nat/mcpserver.py")
	if err != nil {
		t.Fatal(err)
	}
	i.start("league", "connect", "--stdio", "--name", "Program", "--to", manager, "--", "python3", server).says("Program is P")
	port := lastingPort()
	i.start("python3", server, port).says("listening")
	i.start("league", "connect", "http://127.0.0.1:"+port+"/mcp", "--name", "Server", "--to", manager).says("Server is P")
	m.says("Champion")
	noForfeits(t, root, 8, 7)
}

// Connections that break lose no match: ten cuts, a silent path for ten seconds, and a restart of the manager.
func TestLongBrokenConnectionsLoseNoMatch(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "SHARED")
	said(t, root, "init")
	port := lastingPort()
	args := []string{"manager", "--port", port, "--root", root, "--start-when", "players=4,referees=1", "--pace", "2s"}
	m := start(t, args...)
	manager := m.endpoint()
	start(t, "referee", "--port", "0", "--root", root, "--manager", manager)
	i := newIsland(t, manager)
	for n := range 4 {
		i.start("league", "player", "--name", fmt.Sprint("Player ", n), "--port", "0", "--manager", manager).says("mailbox:")
	}
	m.says("round 1")
	for range 10 {
		i.cut()
		time.Sleep(300 * time.Millisecond)
	}
	i.silence(10 * time.Second)
	m.signal(os.Interrupt)
	m.status()
	m = start(t, args...)
	m.endpoint()
	m.says("Champion")
	noForfeits(t, root, 4, 3)
}
