package journal_test

import (
	"fmt"
	"strings"
	"testing"

	"agentleague/engine"
	"agentleague/engine/journal"
)

// event is about the size of a ResultRecorded.
var event = `{"type":"ResultRecorded","match_id":"R1M1","attempt":1,"result":"` + strings.Repeat("x", 230) + `"}`

func BenchmarkAppend(b *testing.B) {
	for _, events := range []int{1, 16, 256} {
		b.Run(fmt.Sprintf("events=%d", events), func(b *testing.B) {
			e := open(b, b.TempDir())
			defer e.Close()
			batch := []byte("[" + strings.Repeat(event+",", events-1) + event + "]")
			b.SetBytes(int64(len(batch)))
			var at engine.Mark
			for b.Loop() {
				var err error
				if at, err = e.Append(b.Context(), "league", at.Seq, batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	e := open(b, dir)
	defer e.Close()
	const entries = 10_000
	for seq := range uint64(entries) {
		if _, err := e.Append(b.Context(), "league", seq, []byte("["+event+"]")); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		got, err := collect(journal.ReadFile(journal.Path(dir, "league")))
		if err != nil || len(got) < entries {
			b.Fatalf("got %d entries and error %v", len(got), err)
		}
	}
	b.ReportMetric(float64(b.N*entries)/b.Elapsed().Seconds(), "entries/s")
}
