package files_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"agentleague/files"
)

func TestAnAgentRunsOnce(t *testing.T) {
	root := open(t)
	lock, err := root.LockAgent("", "REF01", "http://localhost:8001/mcp")
	mustSucceed(t, err)
	_, err = reopen(t, root.Dir()).LockAgent(league, "REF01", "http://localhost:8002/mcp")
	wantError(t, err,
		fmt.Sprintf(
			"REF01 is running already: pid %d at http://localhost:8001/mcp; stop that one, or take another id or root",
			os.Getpid()))
	var held *files.HeldError
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
	wantError(t, err, fmt.Sprintf("P01 is running already: pid %d; stop that one, or take another id or root",
		os.Getpid()))
	mustSucceed(t, lock.At("http://localhost:4711/mcp"))
	_, err = root.LockAgent("", "P01", "")
	wantError(t, err,
		fmt.Sprintf("P01 is running already: pid %d at http://localhost:4711/mcp; stop that one, or take another id or root",
			os.Getpid()))
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
	remove(t, root, "data/agents/P01.holder") // as in the moment between taking a lock and saying so
	_, err = root.LockAgent("", "P01", "")
	wantError(t, err, "P01 is running already: another process; stop that one, or take another id or root")
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
	if dir := os.Getenv("LOCK_IN"); dir != "" {
		if _, err := reopen(t, dir).LockAgent("", "P01", "http://localhost:8101/mcp"); err != nil {
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
	_, err = root.LockAgent("", "P01", "")
	wantError(t, err,
		fmt.Sprintf("P01 is running already: pid %d at http://localhost:8101/mcp; stop that one, or take another id or root",
			other.Process.Pid))
	mustSucceed(t, other.Process.Kill())
	_ = other.Wait()
	lock, err := root.LockAgent("", "P01", "")
	mustSucceed(t, err)
	mustSucceed(t, lock.Release())
}
