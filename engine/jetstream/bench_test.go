package jetstream_test

import (
	"testing"

	"agentleague/engine/jetstream"
)

// BenchmarkRead reads a log of a league with 100,000 results, as a manager does at a takeover. BenchmarkOpen of the
// manager includes the processing of the lines.
func BenchmarkRead(b *testing.B) {
	const lines, size = 400, 320_000
	c := start(b, 1)
	e, err := jetstream.Open(b.Context(), c.options("bench"))
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	line := make([]byte, size)
	for i := range line {
		line[i] = 'x'
	}
	line[0], line[size-1] = '"', '"'
	for seq := range uint64(lines) {
		if _, err := e.Append(b.Context(), "log", seq, line); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(lines * size)
	for b.Loop() {
		n := 0
		for _, err := range e.Read(b.Context(), "log", 0) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != lines {
			b.Fatalf("%d lines, want %d", n, lines)
		}
	}
}
