package bench

import (
	"cmp"
	"fmt"
	"slices"

	"agentleague/bench/plot"
)

// A Figure is what was measured in each slice, in short.
type Figure struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// figure sums up what slices measured. There is none of nothing.
func figure(values []float64) *Figure {
	if len(values) == 0 {
		return nil
	}
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	return &Figure{Median: (v[(n-1)/2] + v[n/2]) / 2, Min: v[0], Max: v[n-1]}
}

// ratios divides slice by slice: neighbours had the same machine.
func ratios(over, under []float64) (out []float64) {
	for i := range min(len(over), len(under)) {
		if under[i] > 0 {
			out = append(out, over[i]/under[i])
		}
	}
	return out
}

// A bucket counts what took no longer than a bound.
type bucket struct{ bound, count float64 }

// quantile estimates the time that a share of all took, as Prometheus does: evenly spread within a bucket.
func quantile(buckets []bucket, share float64) (float64, bool) {
	slices.SortFunc(buckets, func(a, b bucket) int { return cmp.Compare(a.bound, b.bound) })
	if len(buckets) == 0 || buckets[len(buckets)-1].count == 0 {
		return 0, false
	}
	rank := share * buckets[len(buckets)-1].count
	var below bucket
	for _, b := range buckets {
		if b.count >= rank && b.count > below.count {
			if b.bound > maxBound {
				return below.bound, true
			}
			return below.bound + (b.bound-below.bound)*(rank-below.count)/(b.count-below.count), true
		}
		below = b
	}
	return below.bound, true
}

// maxBound is above every bound but the infinite one.
const maxBound = 1e9

// number writes a value for a person: thousands apart, and no more digits than tell something.
func number(v float64) string {
	if v < 1 && v > 0 {
		return fmt.Sprintf("%.2f", v)
	}
	return plot.Number(v)
}

// numberOf writes the median of a figure, or a dash if there is none.
func numberOf(f *Figure) string {
	if f == nil {
		return "-"
	}
	return number(f.Median)
}
