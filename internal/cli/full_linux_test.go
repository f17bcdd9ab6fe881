package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
	"agentleague/store"
)

// smallDisk is set in the child process that may mount, in its own namespace, so that the disk is removed with the
// process.
const smallDisk = "LEAGUE_SMALL_DISK"

// onSmallDisk runs f where a disk of 2 MB can be mounted, filled and made larger.
func onSmallDisk(t *testing.T, f func(t *testing.T, disk string)) {
	t.Helper()
	if os.Getenv(smallDisk) == t.Name() {
		f(t, mountSmall(t))
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), smallDisk+"="+t.Name())
	cmd.SysProcAttr = apart()
	out, err := cmd.CombinedOutput()
	switch {
	case cannotMount(err, out) && os.Getenv("CI") == "true" && os.Geteuid() == 0:
		t.Errorf("root cannot mount a disk here: %v\n%s", err, out)
	case cannotMount(err, out):
		t.Skipf("this test mounts a disk of 2 MB, which it may not here: %v; run it as root, or allow user namespaces", err)
	case err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()):
		t.Errorf("%v\n%s", err, out)
	}
}

// apart starts a process in its own mount namespace. A user other than root becomes root of a user namespace.
func apart() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		a.Cloneflags = syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return a
}

func cannotMount(err error, out []byte) bool {
	return errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSPC) ||
		strings.Contains(string(out), "may not mount")
}

func mountSmall(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Fatalf("may not mount: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// makeRoom makes the disk larger.
func makeRoom(t *testing.T, disk string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
		t.Fatal(err)
	}
}

// fill runs a league until its disk is full, and returns the status then.
func fill(t *testing.T, root string) (*process, shownStatus) {
	t.Helper()
	p := start(t, crowd(root)...)
	sentence := "the disk that holds " + filepath.Join(root, "data") + " is full: free some space, and the league continues by itself"
	p.says(sentence)
	var s shownStatus
	rpctest.Eventually(t, "PAUSED", func() bool {
		once(t, &s, "status", "--root", root, "--manager", managerOf(t, root))
		return s.State == "PAUSED"
	})
	if s.Reason != sentence {
		t.Errorf("status says %q, want %q", s.Reason, sentence)
	}
	if n := strings.Count(p.errs.String(), "msg=\""+sentence); n != 1 {
		t.Errorf("the run said %d times that its disk is full, want once", n)
	}
	return p, s
}

// The number of players and of their matches.
const (
	crowdPlayers = 18
	crowdMatches = crowdPlayers * (crowdPlayers - 1) / 2
)

// crowd is the command line of a league that does not fit on 2 MB.
func crowd(root string) []string {
	return []string{"run", "--root", root, "--port", "0", "--players", strconv.Itoa(crowdPlayers)}
}

// managerOf finds the manager by its journal: the files that show where it is may not have found room.
func managerOf(t *testing.T, root string) (url string) {
	t.Helper()
	for entry, err := range store.Entries(journal.Path(filepath.Join(root, "data"), theLeague)) {
		if err != nil {
			t.Fatal(err)
		}
		_, events, err := league.DecodeBatch(entry.Data)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if taken, ok := e.(league.Epoch); ok {
				url = taken.Holder
			}
		}
	}
	return url
}

func TestLongRunOnAFullDiskWaitsForRoom(t *testing.T) {
	onSmallDisk(t, func(t *testing.T, disk string) {
		root := filepath.Join(disk, "root")
		p, shown := fill(t, root)
		before := folded(t, root)
		if before.Recorded != shown.Recorded || !p.running() {
			t.Errorf("%d results are on disk and %d are shown", before.Recorded, shown.Recorded)
		}
		checkNotReady(t, managerOf(t, root))
		makeRoom(t, disk)
		if status := p.status(); status != 0 {
			t.Errorf("status %d, want 0", status)
		}
		p.says("there is space again: the league continues")
		checkWhole(t, root, crowdMatches)
		checkKept(t, before, folded(t, root))
		checkFiles(t, root)
	})
}

// checkNotReady queries a manager that cannot write, as its operator would.
func checkNotReady(t *testing.T, manager string) {
	t.Helper()
	resp, err := http.Get(strings.TrimSuffix(manager, "/mcp") + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	if want := "log: nothing can be written for " + theLeague; resp.StatusCode != 503 || !strings.Contains(string(text), want) {
		t.Errorf("/readyz: got %s %q, want 503 and %q", resp.Status, text, want)
	}
}

// checkFiles holds that everything that is for reading has caught up.
func checkFiles(t *testing.T, root string) {
	t.Helper()
	h, err := (&app{root: root, level: "error"}).open("")
	if err != nil {
		t.Fatal(err)
	}
	if table, err := h.Standings(theLeague).Load(); err != nil || table.Version != crowdMatches {
		t.Errorf("standings.json is at %d (%v), want %d", table.Version, err, crowdMatches)
	}
	for id, m := range folded(t, root).Matches {
		if _, err := h.Matches(theLeague).Load(id); err != nil {
			t.Errorf("the record of %s: %v", id, err)
		}
		for _, player := range []string{m.A, m.B} {
			past, err := store.NewMemory(h.Root, theLeague, "", nil).Recall(player)
			if err != nil || len(past.Matches) != crowdPlayers-1 {
				t.Errorf("%s remembers %d matches (%v), want %d", player, len(past.Matches), err, crowdPlayers-1)
			}
		}
	}
	left, _ := filepath.Glob(filepath.Join(root, "data/leagues", theLeague, "*"))
	for _, name := range left {
		if strings.Contains(filepath.Base(name), "room") {
			t.Errorf("%s is left behind", name)
		}
	}
}

func TestLongRunKilledOnAFullDiskHasAllThatItAcknowledged(t *testing.T) {
	onSmallDisk(t, func(t *testing.T, disk string) {
		root := filepath.Join(disk, "root")
		p, shown := fill(t, root)
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		p.status()
		elsewhere := filepath.Join(t.TempDir(), "copy")
		if err := os.CopyFS(elsewhere, os.DirFS(root)); err != nil {
			t.Fatal(err)
		}
		before := folded(t, elsewhere)
		if before.Recorded < shown.Recorded || shown.Recorded == 0 {
			t.Errorf("%d results are on disk, and %d were shown", before.Recorded, shown.Recorded)
		}
		refused := start(t, crowd(root)...)
		if status := refused.status(); status != 1 {
			t.Errorf("on the full disk: status %d, want 1", status)
		}
		refused.says("Free some disk space and run the same command again")
		again := start(t, crowd(elsewhere)...)
		if status := again.status(); status != 0 {
			t.Errorf("elsewhere: status %d, want 0", status)
		}
		checkWhole(t, elsewhere, crowdMatches)
		checkKept(t, before, folded(t, elsewhere))
		checkHeard(t, elsewhere)
	})
}

// checkHeard checks that the players' histories equal the recorded results.
func checkHeard(t *testing.T, root string) {
	t.Helper()
	h, err := (&app{root: root, level: "error"}).open("")
	if err != nil {
		t.Fatal(err)
	}
	s := folded(t, root)
	for n := range crowdPlayers {
		id := fmt.Sprintf("P%02d", n+1)
		past, err := store.NewMemory(h.Root, theLeague, "", nil).Recall(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range past.Matches {
			if won := s.Matches[m.MatchID].Outcome.Result.Winner == id; won != (m.Result == "WIN") {
				t.Errorf("%s remembers %s of %s, which was counted otherwise", id, m.Result, m.MatchID)
			}
		}
	}
}

// A league that finds no room is not made at all; when there is room, it is.
func TestNoLeagueIsMadeOnAFullDisk(t *testing.T) {
	onSmallDisk(t, func(t *testing.T, disk string) {
		root := filepath.Join(disk, "root")
		p := start(t, "manager", "--root", root, "--port", "0", "--start-after", "1h")
		a := newAdmin(t, root, p.endpoint())
		a.mustCreate("first", 1, 2)
		rpctest.Eventually(t, "the first is over", func() bool { return foldedOf(t, root, "first").Completed() })
		ballast := filepath.Join(disk, "ballast")
		for n := range 1000 { // until not one more block fits
			if os.WriteFile(fmt.Sprint(ballast, n), make([]byte, 4096), 0o644) != nil {
				break
			}
		}
		for range 2 {
			_, err := a.create("second", protocol.CreateLeague{})
			if err == nil || !strings.Contains(err.Error(), "the manager's disk is full and the league was not created") {
				t.Errorf("got %v", err)
			}
		}
		for _, name := range []string{"config/leagues/second.json", "data/leagues/second"} {
			if _, err := os.Stat(filepath.Join(root, name)); err == nil {
				t.Errorf("%s was made", name)
			}
		}
		makeRoom(t, disk)
		a.mustCreate("second", 1, 2)
		rpctest.Eventually(t, "the second is over", func() bool { return foldedOf(t, root, "second").Completed() })
		mustVerify(t, root, "first", "second")
	})
}
