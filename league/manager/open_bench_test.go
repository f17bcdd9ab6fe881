package manager_test

import (
	"context"
	"os"
	"runtime"
	"testing"

	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/league/leaguetest"
	"agentleague/league/manager"
)

// BenchmarkOpen has a manager come back to a league with 100,000 results in a journal. It reports the memory that its
// state takes, too.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	leaguetest.WriteMany(b, dir, leagueID)
	info, err := os.Stat(journal.Path(dir, leagueID))
	if err != nil {
		b.Fatal(err)
	}
	var live float64
	for b.Loop() {
		live = openMany(b, dir)
	}
	b.ReportMetric(float64(info.Size())/1e6, "MB-journal")
	b.ReportMetric(live, "MB-live")
}

func openMany(b *testing.B, dir string) (live float64) {
	ctx, cancel := context.WithCancel(b.Context())
	disk, err := journal.Open(dir, journal.Options{})
	if err != nil {
		b.Fatal(err)
	}
	m, err := manager.Open(ctx, disk, manager.Options{LeagueID: leagueID, Endpoint: "http://localhost:1/mcp", Hold: true})
	if err != nil {
		b.Fatal(err)
	}
	m.Read(func(s *league.State) {
		if s.Recorded < 100_000 {
			b.Errorf("%d results, want 100,000", s.Recorded)
		}
	})
	b.StopTimer()
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	cancel()
	m.Wait()
	if err := disk.Close(); err != nil {
		b.Fatal(err)
	}
	b.StartTimer()
	return float64(memory.HeapAlloc) / 1e6
}

// BenchmarkDecodeBatch decodes a line of a busy manager's log: 32 assignments and 32 results.
func BenchmarkDecodeBatch(b *testing.B) {
	data := leaguetest.Line(b)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := league.DecodeBatch(data); err != nil {
			b.Fatal(err)
		}
	}
}
