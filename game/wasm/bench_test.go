package wasm_test

import (
	"testing"

	"agentleague/game"
	"agentleague/game/draw"
	"agentleague/game/wasm/wasmtest"
)

// BenchmarkApply plays Chomp square by square, the most calls that a match can have.
func BenchmarkApply(b *testing.B) {
	g := built(b, wasmtest.Chomp)
	b.ReportAllocs()
	for b.Loop() {
		s, err := g.Start(2, draw.New(nil))
		if err != nil {
			b.Fatal(err)
		}
		for len(s.ToMove()) > 0 {
			seat := s.ToMove()[0]
			options := s.View(seat).Options
			if err := s.Apply(map[game.Seat]game.Move{seat: options[len(options)-1]}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*21), "µs/call")
}
