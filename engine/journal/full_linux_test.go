package journal_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agentleague/engine"
	"agentleague/engine/journal"
)

// small is set in the child process that may mount a small disk, in its own namespace, so that the disk is removed with
// the process.
const small = "JOURNAL_SMALL_DISK"

// TestADiskThatIsReallyFull mounts one of 64 KiB. Where that is not allowed the faulty disk of
// TestAFullDiskIsToldLosesNothingAndTheLogGoesOn has to do.
func TestADiskThatIsReallyFull(t *testing.T) {
	if os.Getenv(small) != "" {
		fillSmallDisk(t)
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), small+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, syscall.EPERM) || strings.Contains(string(out), "may not mount"):
		t.Logf("no disk can be mounted here: %v", err)
	case err != nil || !strings.Contains(string(out), "--- PASS"):
		t.Errorf("%v\n%s", err, out)
	}
}

func fillSmallDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Logf("may not mount: %v", err)
		return
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	ballast := filepath.Join(dir, "ballast")
	write(t, ballast, strings.Repeat("x", 20_000))

	e := open(t, dir)
	var want []string
	batch := `["` + strings.Repeat("x", 1000) + `"]`
	for {
		_, err := e.Append(t.Context(), "league", uint64(len(want)), []byte(batch))
		if errors.Is(err, syscall.ENOSPC) && errors.As(err, new(*engine.FullError)) &&
			strings.Contains(err.Error(), journal.Path(dir, "league")) {
			break
		}
		if err != nil {
			t.Fatalf("got error %v, want %v", err, syscall.ENOSPC)
		}
		want = append(want, batch)
	}
	wantEntries(t, "full", e.Read(t.Context(), "league", 0), want...)
	wantEntries(t, "full", journal.ReadFile(journal.Path(dir, "league")), want...)
	os.Remove(ballast)
	appendAll(t, e, "league", uint64(len(want)), "room again")
	want = append(want, "room again")
	wantEntries(t, "room again", e.Read(t.Context(), "league", 0), want...)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	wantLog(t, dir, "league", want...)
}
