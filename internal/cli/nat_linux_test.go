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
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"agentleague/rpc/rpctest"
)

// An island is a network namespace from which a manager can be called, and in which nothing can be called: as behind a
// NAT. The test passes its connections on, and can cut and silence them.
//
//	agents ─▶ localhost:PORT of the island ── test ─▶ localhost:PORT, the manager
type island struct {
	t    *testing.T
	work chan func()  // runs in the namespace
	way  sync.RWMutex // is locked while the connections are silent

	source atomic.Pointer[net.TCPAddr] // from which the manager is called; nil: any

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
		dialer := net.Dialer{}
		if source := i.source.Load(); source != nil {
			dialer.LocalAddr = source
		}
		to, err := dialer.Dial("tcp", manager)
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

// A broken league is played by agents behind a NAT, whose connections to its manager a test breaks.
type broken struct {
	*island
	root, port string
	manager    *process
	linked     []*process // the programs with a mailbox
}

// newBroken starts a league of two players of ours and two slow ones behind `league connect`, and waits until one of those
// is asked for a move.
func newBroken(t *testing.T) *broken {
	t.Helper()
	b := &broken{root: filepath.Join(t.TempDir(), "SHARED"), port: lastingPort()}
	said(t, b.root, "init")
	b.manage(t)
	at := b.manager.endpoint()
	start(t, "referee", "--port", "0", "--root", b.root, "--manager", at)
	b.island = newIsland(t, at)
	script, err := filepath.Abs("testdata/nat/agent.py")
	if err != nil {
		t.Fatal(err)
	}
	var slow *process
	for n := range 2 {
		port := lastingPort()
		c := b.start("league", "connect", "http://127.0.0.1:"+port+"/mcp", "--to", at, "--port", "0")
		c.says("as its manager's: http://")
		_, own, _ := strings.Cut(c.out.String(), "as its manager's: ")
		slow = b.start("python3", script, fmt.Sprint("Slow ", n), port, strings.TrimSpace(own), "slow")
		slow.says("ACCEPTED")
		p := b.start("league", "player", "--name", fmt.Sprint("Ours ", n), "--port", "0", "--manager", at)
		p.says("mailbox:")
		b.linked = append(b.linked, c, p)
	}
	slow.says("asked in")
	return b
}

// manage starts the manager, at the same port each time.
func (b *broken) manage(t *testing.T) {
	b.manager = start(t, "manager", "--port", b.port, "--root", b.root, "--start-when", "players=4,referees=1", "--pace", "1s")
}

// connections returns how often the programs with a mailbox have opened a connection.
func (b *broken) connections() (n int) {
	for _, p := range b.linked {
		n += strings.Count(p.out.String()+p.errs.String(), "connected with the mailbox")
	}
	return n
}

// Connections that break during a match lose no match, whatever breaks them.
func TestLongBrokenConnectionsLoseNoMatch(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(t *testing.T, b *broken){
		"a cut": func(_ *testing.T, b *broken) { b.cut() },
		"ten cuts": func(_ *testing.T, b *broken) {
			for range 10 {
				b.cut()
				time.Sleep(300 * time.Millisecond)
			}
		},
		"a silent path for 10 s": func(_ *testing.T, b *broken) { b.silence(10 * time.Second) },
		"another address of the agents": func(_ *testing.T, b *broken) {
			b.source.Store(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)})
			b.cut()
		},
		"a restart of the manager": func(t *testing.T, b *broken) {
			b.manager.signal(os.Interrupt)
			b.manager.status()
			b.manage(t)
		},
		"kill -9 of the manager": func(t *testing.T, b *broken) {
			b.manager.signal(os.Kill)
			b.manager.status()
			b.manage(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBroken(t)
			before, began := b.connections(), time.Now()
			fault(t, b)
			rpctest.Eventually(t, "new connections", func() bool { return b.connections() >= before+len(b.linked) })
			t.Logf("all are connected again %v after the fault began", time.Since(began).Round(100*time.Millisecond))
			b.manager.says("Champion")
			noForfeits(t, b.root, 4, 3)
		})
	}
}
