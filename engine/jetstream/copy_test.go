package jetstream_test

import (
	"bytes"
	"fmt"
	"testing"

	"agentleague/engine"
	"agentleague/engine/jetstream"
	"agentleague/engine/line"
)

// kept holds the lines passed to Copy, without those that were passed before.
type kept struct {
	next  uint64
	prev  line.Hash
	lines int
}

func (k *kept) hear(t *testing.T) func(string, uint64, []byte) {
	return func(log string, seq uint64, text []byte) {
		k.lines++
		if log != "log" || seq > k.next+1 {
			t.Errorf("line %d of %s comes after %d", seq, log, k.next)
		}
		if seq <= k.next {
			return
		}
		r, err := line.Parse(text)
		if err != nil || r.Seq != seq || r.Prev != k.prev {
			t.Errorf("line %d: %v, %s", seq, err, text)
		}
		k.next, k.prev = seq, r.Hash
	}
}

// Every line that is appended or read is passed on exactly as the cluster has it, and a reader that continues after its
// last line does not receive earlier lines again.
func TestLinesAreHandedOnAndNotReadTwice(t *testing.T) {
	c := start(t, 1)
	open := func(k *kept) *jetstream.Engine {
		o := c.options("copies")
		o.Copy = k.hear(t)
		e, err := jetstream.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		return e
	}
	var wrote, saw kept
	writer, reader := open(&wrote), open(&saw)
	write := func(n int) (at engine.Mark) {
		for range n {
			var err error
			if at, err = writer.Append(t.Context(), "log", wrote.next, fmt.Appendf(nil, "[%d]", wrote.next)); err != nil {
				t.Fatal(err)
			}
		}
		return at
	}
	read := func(from uint64, want int) {
		t.Helper()
		n := 0
		for e, err := range reader.Read(t.Context(), "log", from) {
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(e.Data, fmt.Appendf(nil, "[%d]", e.Seq-1)) {
				t.Errorf("entry %d is %s", e.Seq, e.Data)
			}
			n++
		}
		if n != want {
			t.Errorf("from %d on: %d entries, want %d", from, n, want)
		}
	}
	write(20)
	read(0, 20)
	at := write(5)
	was := saw.lines
	read(21, 5)
	if saw.lines != was+5 {
		t.Errorf("to read 5 entries more, %d lines were read", saw.lines-was)
	}
	read(26, 0)
	if saw.prev.String() != at.Hash || saw.next != 25 || wrote.next != 25 || wrote.lines != 25 {
		t.Errorf("handed on: %d and %d of 25 lines", saw.next, wrote.next)
	}
	read(3, 23)
	if _, err := reader.Append(t.Context(), "log", 25, []byte("[25]")); err != nil {
		t.Error(err)
	}
}
