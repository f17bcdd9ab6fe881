package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// An agent lives on little memory and makes much that is soon thrown away: so
// it is collected a quarter as often as usual. One that holds much, such as a
// manager with 100,000 results, would take several times that from the machine:
// above a size that is no burden yet, it is collected when spare bytes have been
// thrown away.
const (
	collectAt  = 400 // per cent of what is in use
	collectMin = 25
	spare      = 32 << 20
	noBurden   = 128 << 20
	softLimit  = 1 << 30
)

// spareCollector sets how often memory is collected, unless the environment does.
func spareCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
		afterCollections(new(tuning).adjust)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softLimit)
	}
}

// collectPercent is how much of what is in use may be thrown away before it is collected.
func collectPercent(live uint64) int {
	live = max(live, 1)
	room := max(spare, min(2*live, noBurden-min(live, noBurden)))
	return int(min(max(100*room/live, collectMin), collectAt))
}

// A tuning keeps the collector at what suits the memory in use.
type tuning struct{ percent int }

// adjust looks at what the last collection left. A change stops the program for
// a moment, so that small ones are not worth it.
func (t *tuning) adjust() {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	want := collectPercent(sample[0].Value.Uint64())
	if change := want - t.percent; change*change > 100 {
		t.percent = want
		debug.SetGCPercent(want)
	}
}

// afterCollections calls f after every collection: nobody holds on to a mark, and
// the one that is collected leaves the next.
func afterCollections(f func()) {
	type mark struct{ _ [32]byte }
	runtime.SetFinalizer(new(mark), func(*mark) {
		f()
		afterCollections(f)
	})
}
