package web

import (
	"fmt"
	"math"
	"slices"

	"agentleague/protocol"
)

// A Latency summarizes an agent's answer times over many tries. Tries that did not count are left out.
type Latency struct {
	Tries   int     `json:"tries"`
	Median  float64 `json:"p50_ms"`
	P90     float64 `json:"p90_ms"`
	P99     float64 `json:"p99_ms"`
	Slowest float64 `json:"max_ms"`
	// in the order of their bounds, from the first to the last that is not empty
	Buckets []Bucket `json:"buckets"`
}

// A Bucket counts the tries that took up to its bound and longer than the bound before.
type Bucket struct {
	UpTo  float64 `json:"up_to_ms"`
	Count int     `json:"count"`
}

// Label returns the bucket's bound in words.
func (b Bucket) Label() string {
	if b.UpTo >= 1000 {
		return fmt.Sprintf("%g s", b.UpTo/1000)
	}
	return fmt.Sprintf("%g ms", b.UpTo)
}

// MedianWords returns the median in words.
func (l Latency) MedianWords() string { return took(l.Median) }

// P90Words returns the 90th percentile in words.
func (l Latency) P90Words() string { return took(l.P90) }

// P99Words returns the 99th percentile in words.
func (l Latency) P99Words() string { return took(l.P99) }

// SlowestWords returns the longest time in words.
func (l Latency) SlowestWords() string { return took(l.Slowest) }

// Share returns this bucket's size relative to the fullest one, in thousandths.
func (l Latency) Share(b Bucket) int {
	most := 1
	for _, o := range l.Buckets {
		most = max(most, o.Count)
	}
	return 1000 * b.Count / most
}

// bounds are those of the buckets, in milliseconds: 1, 2, 5 in every decade.
var bounds = []float64{
	0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000,
}

// latencyOf summarizes tries.
func latencyOf(tries []protocol.Try) Latency {
	var took []float64
	for _, t := range tries {
		if !t.Void && !math.IsNaN(t.AgentMS) && t.AgentMS >= 0 {
			took = append(took, t.AgentMS)
		}
	}
	l := Latency{Tries: len(took), Buckets: []Bucket{}}
	if len(took) == 0 {
		return l
	}
	slices.Sort(took)
	l.Median, l.P90, l.P99, l.Slowest = quantile(took, 0.5), quantile(took, 0.9), quantile(took, 0.99), took[len(took)-1]
	counts := make([]int, len(bounds))
	for _, ms := range took {
		i, _ := slices.BinarySearch(bounds, ms)
		counts[min(i, len(bounds)-1)]++
	}
	first := slices.IndexFunc(counts, func(n int) bool { return n > 0 })
	last := len(counts) - 1
	for counts[last] == 0 {
		last--
	}
	for i := first; i <= last; i++ {
		l.Buckets = append(l.Buckets, Bucket{bounds[i], counts[i]})
	}
	return l
}

// quantile returns the smallest of sorted numbers that a share of them does not exceed.
func quantile(sorted []float64, share float64) float64 {
	return sorted[min(max(int(math.Ceil(share*float64(len(sorted))))-1, 0), len(sorted)-1)]
}
