package chaos_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentleague/rpc/rpctest"
)

// TestLongClusterOutlivesDamagedNodes damages the NATS servers of a cluster one at a time while leagues are played: one
// returns with an empty store, the disk of one is full, one is slow. With more time the disks of all are full too. Every
// match is recorded once.
func TestLongClusterOutlivesDamagedNodes(t *testing.T) {
	if !onOwnNetwork(t) {
		return
	}
	const seed = 1
	leagues, players, rounds := 2, 10, 1
	if long() {
		players, rounds = 40, 3
	}
	nodes := rand.New(rand.NewPCG(seed, 11)).Perm(3)
	g := newGroup(t)
	g.play(leagues, players, 5*time.Second, func() {
		for round := range rounds {
			g.losesStore(nodes[round%3])
			g.runsFull(nodes[(round+1)%3])
			g.isSlow(nodes[(round+2)%3])
			if long() {
				g.allRunFull()
			}
		}
		if n, over := g.recorded(); over {
			t.Errorf("the leagues were over, with %d results, before the last fault was", n)
		}
	})
}

// losesStore kills a NATS server and starts it again with an empty store.
func (g *group) losesStore(n int) {
	g.t.Helper()
	g.nats[n].kill()
	g.goesOn(fmt.Sprintf("the death of NATS server %d", n+1))
	if err := os.RemoveAll(g.stores[n]); err != nil {
		g.t.Fatal(err)
	}
	g.returns(n, "with an empty store")
}

// returns starts a NATS server again.
func (g *group) returns(n int, how string) {
	g.t.Helper()
	began := time.Now()
	g.nats[n].start()
	g.healthy(n)
	g.t.Logf("NATS server %d is back %s, and has all after %v", n+1, how, time.Since(began).Round(100*time.Millisecond))
	g.goesOn("its return")
}

// runsFull fills the disk of a NATS server, and later makes room and starts it again.
func (g *group) runsFull(n int) {
	g.t.Helper()
	g.onSmallDisk(n)
	g.fill(n)
	g.goesOn(fmt.Sprintf("the disk of NATS server %d is full", n+1))
	rpctest.Eventually(g.t, "a write that finds no room", func() bool { return strings.Contains(g.nats[n].said(), "no space left") })
	g.makesRoom(n)
	g.returns(n, "with room on its disk")
}

// allRunFull fills the disks of all NATS servers, so that nothing can be written, and later makes room.
func (g *group) allRunFull() {
	g.t.Helper()
	for n := range g.nats {
		g.onSmallDisk(n)
	}
	for n, s := range g.nats {
		g.fill(n)
		full := len(s.said())
		defer func() {
			if !strings.Contains(s.said()[full:], "no space left") {
				g.t.Errorf("NATS server %d always had room", n+1)
			}
		}()
	}
	rpctest.Eventually(g.t, "managers that are not ready", func() bool { return !g.ready(0) && !g.ready(1) && !g.ready(2) })
	for n := range g.nats {
		g.makesRoom(n)
	}
	began := time.Now()
	for n := range g.nats {
		g.nats[n].start()
	}
	for n := range g.nats {
		g.healthy(n)
	}
	g.t.Logf("all disks have room, and all NATS servers are back after %v", time.Since(began).Round(100*time.Millisecond))
	g.goesOn("their return")
}

// ready reports whether a manager reports that it is ready.
func (g *group) ready(n int) bool {
	resp, err := (&http.Client{Timeout: 5 * time.Second}).Get(g.url(n) + "/readyz")
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// fill leaves no room on the disk of a NATS server.
func (g *group) fill(n int) {
	g.t.Helper()
	f, err := os.Create(g.ballast(n))
	if err != nil {
		g.t.Fatal(err)
	}
	_, err = io.Copy(f, zeros{})
	if closed := f.Close(); !errors.Is(err, syscall.ENOSPC) || closed != nil {
		g.t.Fatalf("the disk is not full: %v, %v", err, closed)
	}
}

// makesRoom kills a NATS server and removes the files that fill its disk.
func (g *group) makesRoom(n int) {
	g.t.Helper()
	g.nats[n].kill()
	if err := os.Remove(g.ballast(n)); err != nil {
		g.t.Fatal(err)
	}
}

// ballast is the file that fills the disk of a NATS server.
func (g *group) ballast(n int) string { return filepath.Join(g.stores[n], "ballast") }

// onSmallDisk moves the store of a NATS server to a disk of 64 MB.
func (g *group) onSmallDisk(n int) {
	g.t.Helper()
	store := g.stores[n]
	if fs := new(syscall.Statfs_t); syscall.Statfs(store, fs) == nil && fs.Blocks*uint64(fs.Bsize) == 64<<20 {
		return
	}
	g.nats[n].kill()
	err := errors.Join(os.Rename(store, store+".before"), os.Mkdir(store, 0o700),
		syscall.Mount("small", store, "tmpfs", 0, "size=64m"))
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = syscall.Unmount(store, syscall.MNT_DETACH) })
	if out, err := exec.Command("cp", "-a", store+".before/.", store).CombinedOutput(); err != nil {
		g.t.Fatalf("%v: %s", err, out)
	}
	g.returns(n, "on a small disk")
}

// zeros is an endless reader.
type zeros struct{}

// Read fills b with zeros.
func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// isSlow stops a NATS server for nine tenths of the time, until results were recorded three times.
func (g *group) isSlow(n int) {
	g.t.Helper()
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for stopped := false; ; stopped = !stopped {
			signal, pause := syscall.SIGSTOP, 450*time.Millisecond
			if stopped {
				signal, pause = syscall.SIGCONT, 50*time.Millisecond
			}
			_ = g.nats[n].cmd.Process.Signal(signal)
			select {
			case <-time.After(pause):
			case <-done:
				_ = g.nats[n].cmd.Process.Signal(syscall.SIGCONT)
				return
			}
		}
	}()
	for range 3 {
		g.goesOn(fmt.Sprintf("NATS server %d is slow", n+1))
	}
	close(done)
	<-ended
	g.healthy(n)
}
