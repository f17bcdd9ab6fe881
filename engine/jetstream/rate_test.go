package jetstream_test

import (
	"fmt"
	"sync"
	"testing"
)

// What a cluster of three on one machine, each node with a sync for every write, takes in: one league after the other,
// and many at once. On three machines with disks of their own it is more; docs/guide/operating.md computes with this.
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
