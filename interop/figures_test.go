package interop_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"agentleague/interop/foreign"
)

// figures are how many calls, and how much time, strangers needed until they understood their first message.
type figures struct {
	mu    sync.Mutex
	calls []int
	times []time.Duration
}

// take adds the calls to one foreign agent: the number of calls until it understood the first message, and the time
// since the first of them.
func (f *figures) take(heard []foreign.Heard) {
	first := slices.IndexFunc(heard, func(h foreign.Heard) bool { return !h.Refused && h.Kind != foreign.Unknown })
	if first < 0 {
		return
	}
	calls, begun := 0, heard[first].At
	for _, h := range slices.Backward(heard[:first+1]) {
		if h.Kind == heard[first].Kind && holdsMessage(h) {
			calls, begun = calls+1, h.At
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls, f.times = append(f.calls, calls), append(f.times, heard[first].At.Sub(begun))
}

// log shows the figures.
func (f *figures) log(t *testing.T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.calls) == 0 {
		return
	}
	slices.Sort(f.calls)
	slices.Sort(f.times)
	last, middle := len(f.calls)-1, len(f.calls)/2
	at90 := len(f.calls) * 9 / 10
	t.Logf("%d strangers; until the first message was understood: %d calls and %s at p50, %d and %s at p90, %d and %s at most",
		len(f.calls), f.calls[middle], f.times[middle].Round(time.Microsecond), f.calls[at90],
		f.times[at90].Round(time.Microsecond), f.calls[last], f.times[last].Round(time.Microsecond))
}
