package store_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"agentleague/store"
)

func TestAnAgentRunsOnce(t *testing.T) {
	root := open(t)
	lock, err := root.LockAgent("", "REF01", "http://localhost:8001/mcp")
	mustSucceed(t, err)
	_, err = reopen(t, root.Dir()).LockAgent(league, "REF01", "http://localhost:8002/mcp")
	wantError(t, err, fmt.Sprintf("REF01 is already running: pid %d at http://localhost:8001/mcp; stop that one, or use another id or root", os.Getpid()))
	var held *store.HeldError
	if !errors.As(err, &held) || held.Agent != "REF01" {
		t.Errorf("got %#v, want a HeldError of REF01", err)
	}
	if _, err := os.Stat(path(root, "data/agents/REF01.lock")); err != nil {
		t.Errorf("want the lock where it is documented: %v", err)
	}
	mustSucceed(t, lock.Release())
	again, err := root.LockAgent("", "REF01", "http://localhost:8002/mcp")
	mustSucceed(t, err)
	mustSucceed(t, lock.Release()) // the old one does nothing
	if _, err := root.LockAgent("", "REF01", ""); !errors.As(err, &held) {
		t.Errorf("got %v, want that it is held", err)
	}
	mustSucceed(t, again.Release())
}

func TestAnAgentMayLearnItsAddressLater(t *testing.T) {
	root := open(t)
	lock, err := root.LockAgent("", "P01", "")
	mustSucceed(t, err)
	defer lock.Release()
	_, err = root.LockAgent("", "P01", "")
	wantError(t, err, fmt.Sprintf("P01 is already running: pid %d; stop that one, or use another id or root", os.Getpid()))
	mustSucceed(t, lock.At("http://localhost:4711/mcp"))
	_, err = root.LockAgent("", "P01", "")
	wantError(t, err, fmt.Sprintf("P01 is already running: pid %d at http://localhost:4711/mcp; stop that one, or use another id or root", os.Getpid()))
}

func TestLocksAreForOneAgentOfOneLeague(t *testing.T) {
	root := open(t)
	for _, c := range [][2]string{{"", "P01"}, {"", "P02"}, {"spring", "P01"}, {"autumn", "P01"}} {
		lock, err := root.LockAgent(c[0], c[1], "")
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		defer lock.Release()
	}
}

func TestAHolderThatDoesNotSayWhoIsAnotherProcess(t *testing.T) {
	root := open(t)
	lock, err := root.LockAgent("", "P01", "")
	mustSucceed(t, err)
	remove(t, root, "data/agents/P01.holder") // as in the moment between taking a lock and storing its holder
	_, err = root.LockAgent("", "P01", "")
	wantError(t, err, "P01 is already running: another process; stop that one, or use another id or root")
	mustSucceed(t, lock.Release())
}

func TestALockThatCannotBeMadeIsAnError(t *testing.T) {
	root := open(t)
	mustSucceed(t, os.Mkdir(path(root, "data/agents/P01.lock"), 0o755))
	write(t, root, "data/agents/P02.holder/x", "")
	write(t, root, "data/agents/spring", "a file where the folder should be")
	for _, c := range [][2]string{{"", "P01"}, {"", "P02"}, {"spring", "P01"}} {
		if _, err := root.LockAgent(c[0], c[1], ""); err == nil {
			t.Errorf("%s: got no error", c)
		}
	}
	lock, err := root.LockAgent("", "P03", "")
	mustSucceed(t, err)
	remove(t, root, "data/agents/P03.holder")
	write(t, root, "data/agents/P03.holder/x", "")
	if err := lock.Release(); err == nil {
		t.Error("release: got no error")
	}
	remove(t, root, "data/agents/P03.holder")
	if _, err := root.LockAgent("", "P03", ""); err != nil {
		t.Errorf("it was not released all the same: %v", err)
	}
}

// A process that is killed cannot clean up, and need not.
func TestALockEndsWithItsProcess(t *testing.T) {
	endsWithItsProcess(t, (*store.Root).LockAgent)
}

func TestALockOfACrewEndsWithItsProcess(t *testing.T) {
	endsWithItsProcess(t, (*store.Root).LockCrew)
}

// endsWithItsProcess has another process take an id and kills it.
func endsWithItsProcess(t *testing.T, take func(r *store.Root, league, id, address string) (*store.Lock, error)) {
	if dir := os.Getenv("LOCK_IN"); dir != "" {
		if _, err := take(reopen(t, dir), "", "P01", "http://localhost:8101/mcp"); err != nil {
			t.Fatal(err)
		}
		fmt.Println("locked")
		select {}
	}
	root := open(t)
	other := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	other.Env = append(os.Environ(), "LOCK_IN="+root.Dir())
	out, err := other.StdoutPipe()
	mustSucceed(t, err)
	mustSucceed(t, other.Start())
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	for _, try := range takers {
		_, err = try(root, "", "P01", "")
		wantError(t, err, fmt.Sprintf("P01 is already running: pid %d at http://localhost:8101/mcp; stop that one, or use another id or root", other.Process.Pid))
	}
	mustSucceed(t, other.Process.Kill())
	_ = other.Wait()
	for _, try := range takers {
		lock, err := try(root, "", "P01", "")
		mustSucceed(t, err)
		mustSucceed(t, lock.Release())
	}
	if left, _ := filepath.Glob(path(root, "data/agents/.crew-*")); len(left) > 0 {
		t.Errorf("left behind: %s", left)
	}
}

// takers are the ways to take an id.
var takers = []func(r *store.Root, league, id, address string) (*store.Lock, error){(*store.Root).LockAgent, (*store.Root).LockCrew}

func TestAnIDIsHeldOnceByACrewToo(t *testing.T) {
	root := open(t)
	for i, first := range takers {
		held, err := first(root, "", "P01", "http://localhost:8101/mcp")
		mustSucceed(t, err)
		for j, second := range takers {
			for _, at := range []*store.Root{root, reopen(t, root.Dir())} {
				_, err := second(at, "", "P01", "http://localhost:8102/mcp")
				wantError(t, err, fmt.Sprintf("P01 is already running: pid %d at http://localhost:8101/mcp; stop that one, or use another id or root", os.Getpid()))
				if !errors.As(err, new(*store.HeldError)) {
					t.Errorf("%d after %d: got %v, want a HeldError", j, i, err)
				}
			}
		}
		mustSucceed(t, held.Release())
		mustSucceed(t, held.Release()) // again does nothing
	}
}

// Of several concurrent requests for an id exactly one succeeds, whichever process had it before.
func TestOneOfManyGetsTheIDOfACrewThatIsGone(t *testing.T) {
	root := open(t)
	write(t, root, "data/agents/.crew-1-gone.lock", "")
	for _, id := range []string{"P01", "P02", "P03"} {
		write(t, root, "data/agents/"+id+".holder", "pid 1 at http://localhost:8101/mcp\n.crew-1-gone.lock\n")
	}
	var all sync.WaitGroup
	held := make(chan *store.Lock, 24)
	for n := range cap(held) {
		at := reopen(t, root.Dir())
		all.Go(func() {
			if l, err := takers[n%2](at, "", fmt.Sprintf("P%02d", n%3+1), ""); err == nil {
				held <- l
			} else if !errors.As(err, new(*store.HeldError)) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(held) != 3 {
		t.Errorf("%d got one of 3 ids", len(held))
	}
	for close(held); len(held) > 0; {
		mustSucceed(t, (<-held).Release())
	}
}

func TestACrewHoldsAllItsIDsWithOneFile(t *testing.T) {
	root := open(t)
	before := openFiles(t)
	var held []*store.Lock
	for n := range 200 {
		l, err := root.LockCrew("", fmt.Sprintf("P%03d", n), "http://localhost:8101/mcp")
		mustSucceed(t, err)
		held = append(held, l)
	}
	if more := openFiles(t) - before; more > 20 { // other tests run beside this one
		t.Errorf("200 ids take %d open files", more)
	}
	for _, l := range held {
		mustSucceed(t, l.Release())
	}
	if left, _ := filepath.Glob(path(root, "data/agents/.crew-*")); len(left) > 0 {
		t.Errorf("left behind: %s", left)
	}
}

// openFiles counts the open files of this process; 0 on systems that do not report them.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}
