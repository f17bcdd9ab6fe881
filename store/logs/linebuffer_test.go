package logs

import (
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// poison overwrites a released buffer, which reveals later reads.
func poison() {
	b := lineBuffers.Get().(*[]byte)
	for i := range (*b)[:cap(*b)] {
		(*b)[:cap(*b)][i] = 0xff
	}
	lineBuffers.Put(b)
}

func TestNoLogLooksAtABufferThatItGaveBack(t *testing.T) {
	folder := New(t.TempDir(), nil)
	l := folder.System(slog.LevelDebug)
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
	text, err := os.ReadFile(folder.path("logs/system/orchestrator.log.jsonl"))
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

// A busy log keeps its buffer from one write to the next; one in which nothing happens has none.
func TestALogThatFillsItsBufferKeepsItForAMoment(t *testing.T) {
	folder := New(t.TempDir(), nil)
	synctest.Test(t, func(t *testing.T) {
		l := folder.System(slog.LevelDebug)
		defer l.Close()
		full := func() bool { l.mu.Lock(); defer l.mu.Unlock(); return l.filled }
		for !full() {
			if err := l.Passed(time.Now(), Passing{Type: "PING", Peer: "manager"}); err != nil {
				t.Fatal(err)
			}
		}
		l.mu.Lock()
		if l.buffer == nil || len(l.wait) != 0 {
			t.Errorf("a full buffer was not written, or given back: %d bytes wait", len(l.wait))
		}
		l.mu.Unlock()
		time.Sleep(maxWait)
		synctest.Wait()
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.buffer != nil || l.wait != nil || l.filled || !l.busy {
			t.Error("a log without lines has kept its buffer")
		}
	})
}

func TestALineThatPassesTakesNoMemory(t *testing.T) {
	folder := New(t.TempDir(), nil)
	l := folder.System(slog.LevelDebug)
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
