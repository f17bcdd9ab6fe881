package store_test

import (
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agentleague/store"
)

// full makes every write to a file of the tree find no room, until it is called.
func full(t *testing.T, root *store.Root, name string) (room func()) {
	t.Helper()
	path := filepath.Join(root.Dir(), name)
	mustSucceed(t, os.MkdirAll(filepath.Dir(path), 0o755))
	mustSucceed(t, os.Symlink("/dev/full", path))
	return func() { mustSucceed(t, os.Remove(path)) }
}

func TestLogGoesOnAfterAFullDiskAndSaysWhatIsMissing(t *testing.T) {
	root := open(t)
	room := full(t, root, agentFile)
	logger, log := registered(t, root)
	for range 3 {
		r := slog.Record{Message: "lost"}
		if err := log.Handler().Handle(t.Context(), r); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("got %v, want %v", err, syscall.ENOSPC)
		}
	}
	room()
	logger.Info("first")
	logger.Info("second")
	got := lines(t, root, agentFile)
	if len(got) != 3 || got[0]["event_type"] != "LINES_LOST" ||
		got[0]["message"] != "3 lines before this one could not be written" ||
		got[0]["agent_id"] != "player:P01" || got[1]["message"] != "first" || got[2]["message"] != "second" {
		t.Errorf("got %v, want that three lines are missing, and the two that came later", got)
	}
}

// The process has a limit of file sizes: the write that reaches it is truncated, as on a disk that fills up.
func TestLineThatWasCutShortDoesNotSpoilTheNext(t *testing.T) {
	if !alone(t) {
		return
	}
	root := open(t)
	logger, _ := registered(t, root)
	logger.Info("whole")
	restore := limitFiles(t, uint64(len(read(t, root, agentFile))+20))
	logger.Info("cut")
	logger.Info("lost")
	restore()
	logger.Info("next")
	var kept []string
	for line := range strings.Lines(read(t, root, agentFile)) {
		if strings.HasSuffix(line, "}\n") {
			kept = append(kept, line)
		}
	}
	if len(kept) != 3 || !strings.Contains(kept[0], "whole") || !strings.Contains(kept[1], "2 lines") ||
		!strings.Contains(kept[2], "next") {
		t.Errorf("got %q, want whole lines that say whole, 2 lines lost, next", kept)
	}
}

func TestRoomIsFoundByWritingAndLeavesNothing(t *testing.T) {
	if !alone(t) {
		return
	}
	root := open(t)
	mustSucceed(t, root.Room())
	restore := limitFiles(t, 1000)
	err := root.Room()
	restore()
	if err == nil {
		t.Error("there is room where nothing can be written")
	}
	if entries, _ := filepath.Glob(filepath.Join(root.Dir(), "data", ".*")); len(entries) > 0 {
		t.Errorf("%q is left behind", entries)
	}
	full(t, root, "data/.room")
	if err := root.Room(); !errors.As(err, new(*store.FullError)) || !strings.Contains(err.Error(), "the disk that holds "+root.Dir()+" is full; free some space") {
		t.Errorf("got %v, want a FullError that says what to do", err)
	}
}

// alone reports whether the test runs in a separate process, and otherwise runs it in one: a limit of the process would
// affect the test program's own files, too.
func alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv("LEAGUE_TEST_ALONE") != "" {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
	cmd.Env = append(os.Environ(), "LEAGUE_TEST_ALONE=yes")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

func limitFiles(t *testing.T, bytes uint64) (restore func()) {
	t.Helper()
	var was syscall.Rlimit
	mustSucceed(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was))
	mustSucceed(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: was.Max}))
	return func() { mustSucceed(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was)) }
}

// A record without space is not stored, its writer gets an error, and a retry stores it.
func TestARecordWaitsForRoom(t *testing.T) {
	root := open(t)
	records, r := recordsOf(t, root, "REF01"), ref("R1M1", 1)
	room := full(t, root, recordsOfREF01)
	if err := records.Save(r, line(t, r, ""), []byte("order")); !errors.As(err, new(*store.FullError)) {
		t.Errorf("got %v, want that the disk is full", err)
	}
	room()
	mustSucceed(t, records.Save(r, line(t, r, ""), []byte("order")))
	if got, errs := unreported(recordsOf(t, reopen(t, root.Dir()), "REF01")); len(got) != 1 || errs != nil {
		t.Errorf("got %v, %q; want the record", got, errs)
	}
	room = full(t, root, "data/leagues/"+league+"/records.log")
	doc := line(t, ref("R1M2", 1), "")
	if err := root.Matches(league).Store("R1M2", doc); !errors.As(err, new(*store.FullError)) {
		t.Errorf("the manager's: got %v, want that the disk is full", err)
	}
	room()
	mustSucceed(t, root.Matches(league).Store("R1M2", doc))
}
