package files

import (
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// poison fills a buffer that somebody has given back, so that whoever still looks at it is found out.
func poison() {
	b := lineBuffers.Get().(*[]byte)
	for i := range (*b)[:cap(*b)] {
		(*b)[:cap(*b)][i] = 0xff
	}
	lineBuffers.Put(b)
}

func TestNoLogLooksAtABufferThatItGaveBack(t *testing.T) {
	root, err := Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	l := root.SystemLog(slog.LevelDebug)
	lines := slog.New(l.Handler())
	for n := range 50 {
		if err := l.Passed(time.Now(), Passing{Type: "PING", Peer: strings.Repeat("x", 100*n)}); err != nil {
			t.Fatal(err)
		}
		lines.Info("something", "n", n) // which writes both
		if l.buffer != nil || l.wait != nil {
			t.Fatal("a log without lines that wait has a buffer")
		}
		poison()
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(root.path("logs/system/orchestrator.log.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(all) != 100 {
		t.Errorf("%d lines, want 100", len(all))
	}
	for _, line := range all {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %.80q", line)
		}
	}
}

func TestALineThatPassesTakesNoMemory(t *testing.T) {
	root, err := Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	l := root.SystemLog(slog.LevelDebug)
	defer l.Close()
	at, p := time.Now(), Passing{Type: "PING", Conversation: "conv-1", Match: "R1M1", Peer: "referee:REF01"}
	if err := l.Passed(at, p); err != nil {
		t.Fatal(err)
	}
	n := testing.AllocsPerRun(100, func() { _ = l.Passed(at, p) })
	if n >= 1 {
		t.Errorf("got %v allocations a line, want none", n)
	}
}

// Lines that come after others were written have a time of their own: a busy log is written when it is full, not by the clock
// of lines that are on disk already.
func TestALineWaitsForItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root, err := Open(t.TempDir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		l := root.SystemLog(slog.LevelDebug)
		defer l.Close()
		lines := slog.New(l.Handler())
		lines.Debug("first")
		time.Sleep(maxWait / 2)
		lines.Info("which is written at once")
		lines.Debug("second")
		size := func() int64 { l.mu.Lock(); defer l.mu.Unlock(); return l.size }
		before := size()
		time.Sleep(maxWait - time.Millisecond)
		synctest.Wait()
		if got := size(); got != before || before == 0 {
			t.Errorf("a line was written after %v: %d bytes in the log, want %d", maxWait-time.Millisecond, got, before)
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if got := size(); got == before {
			t.Errorf("a line was not written after %v", maxWait)
		}
	})
}
