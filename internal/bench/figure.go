package bench

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// A Figure sums up one measurement over all slices.
type Figure struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// figure sums up the values of slices; nil without values.
func figure(values []float64) *Figure {
	if len(values) == 0 {
		return nil
	}
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	return &Figure{Median: (v[(n-1)/2] + v[n/2]) / 2, Min: v[0], Max: v[n-1]}
}

// measured is figure, but nil where the system reports nothing, which reads as 0.
func measured(values []float64) *Figure {
	if f := figure(values); f != nil && f.Median > 0 {
		return f
	}
	return nil
}

// ratios divides slice by slice, since neighbouring slices had the same machine.
func ratios(over, under []float64) (out []float64) {
	for i := range min(len(over), len(under)) {
		if under[i] > 0 {
			out = append(out, over[i]/under[i])
		}
	}
	return out
}

// A bucket counts the observations up to a bound.
type bucket struct{ bound, count float64 }

// quantile estimates a quantile from buckets as Prometheus does: evenly spread within a bucket.
func quantile(buckets []bucket, share float64) (float64, bool) {
	slices.SortFunc(buckets, func(a, b bucket) int { return cmp.Compare(a.bound, b.bound) })
	if len(buckets) == 0 || buckets[len(buckets)-1].count == 0 {
		return 0, false
	}
	rank := share * buckets[len(buckets)-1].count
	var below bucket
	for _, b := range buckets {
		if b.count >= rank && b.count > below.count {
			if math.IsInf(b.bound, 1) {
				return below.bound, true
			}
			return below.bound + (b.bound-below.bound)*(rank-below.count)/(b.count-below.count), true
		}
		below = b
	}
	return below.bound, true
}

// number formats a value with about three significant digits, and thousands apart.
func number(v float64) string {
	switch {
	case v > 0 && v < 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 100 && v != math.Trunc(v):
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	digits := strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// numberOf formats the median of a figure, or a dash if it was not measured.
func numberOf(f *Figure) string {
	if f == nil {
		return "-"
	}
	return number(f.Median)
}
