package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentleague/league/leaguetest"
)

// TestAManagerIsBackWith100000Results starts a manager on such a journal. The duration is only logged, since a test
// does not have the machine to itself (the target is a second, see docs/guide/speed.md); more than ten seconds fail.
// The memory is bounded.
func TestAManagerIsBackWith100000Results(t *testing.T) {
	if testing.Short() || racing {
		t.Skip("it measures time and memory")
	}
	root := t.TempDir()
	leaguetest.WriteMany(t, filepath.Join(root, "data"), theLeague)
	began := time.Now()
	p := start(t, "manager", "--root", root, "--port", "0", "--start-after", "1h")
	p.endpoint()
	took, mb := time.Since(began), peakMB(t, p.cmd.Process.Pid)
	t.Logf("back after %v, %.1f s of processor time, with %d MB", took.Round(time.Millisecond), spent(t, p.cmd.Process.Pid).Seconds(), mb)
	if mb > 200 || took > 10*time.Second && spent(t, p.cmd.Process.Pid) > 5*time.Second {
		t.Errorf("back after %v with %d MB, want 200 MB at most", took, mb)
	}
}

// peakMB is the most memory that a process has had from the system.
func peakMB(t *testing.T, pid int) (kb int) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, found := strings.Cut(string(text), "VmHWM:")
	if _, scanErr := fmt.Sscan(rest, &kb); err != nil || !found || scanErr != nil {
		t.Fatal(err, scanErr)
	}
	return kb / 1000
}

// spent is the processor time of a process.
func spent(t *testing.T, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	f := strings.Fields(rest)
	var user, system int64 // in hundredths of a second
	if _, err := fmt.Sscan(f[11]+" "+f[12], &user, &system); err != nil {
		t.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}
