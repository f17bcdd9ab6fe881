package jetstream_test

import (
	"fmt"
	"sync"
	"testing"
)

// The append rate of a cluster of three nodes on one machine, each with a sync for every write: for one league after
// the other, and for many concurrently. Three machines with separate disks are faster.
func BenchmarkAppendsOfManyLeagues(b *testing.B) {
	c := start(b, 3)
	runs := 0
	batch := []byte(fmt.Sprintf(`["%01500d"]`, 0))
	for _, logs := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("logs=%d", logs), func(b *testing.B) {
			runs++
			e := c.open(c.options(fmt.Sprintf("rate%d", runs)))
			b.ResetTimer()
			var all sync.WaitGroup
			for n := range logs {
				all.Go(func() {
					for seq := range uint64(max(b.N/logs, 1)) {
						if _, err := e.Append(b.Context(), fmt.Sprintf("league_%d", n), seq, batch); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
		})
	}
}
