// Package collector adapts Go's garbage collector to the live memory of a process.
package collector

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// An agent has little live memory and much garbage: so it is collected a quarter as often as usual. A process with
// much live memory, such as a manager with 100,000 results or 1,000 leagues, would take several times that from the
// machine: above a small size it is collected when the garbage is four tenths of the live memory. With a smaller
// share, a manager of 1,000 leagues spent a sixth of its CPU in the collector.
const (
	collectAt  = 400 // per cent of the live memory
	collectMin = 40
	spare      = 32 << 20 // that may always be thrown away
	noBurden   = 144 << 20
	softLimit  = 1 << 30
	// collectEntering applies while a large group registers: garbage of registrations lies between live objects, and
	// would leave holes in memory that idle players never fill. Memory use is highest then.
	collectEntering = 50
)

// Begin sets how often memory is collected, unless the environment does.
func Begin() {
	if os.Getenv("GOGC") == "" {
		own.begin()
		afterCollections(own.adjust)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softLimit)
	}
}

// collectPercent is the garbage, in per cent of the live memory, at which it is collected: at least spare bytes, and
// from 16 MB on more and more, while the total is small.
func collectPercent(live uint64) int {
	live = max(live, 1)
	room := max(spare, min(4*live-min(4*live, spare), noBurden-min(live, noBurden)))
	return int(min(max(100*room/live, collectMin), collectAt))
}

// A tuning adjusts the collector to the live memory. Its zero value does nothing.
type tuning struct {
	mu       sync.Mutex
	percent  int // 0: the environment configures the collector
	entering int // groups of agents that are registering
}

// own is the tuning of this process, which has only one collector.
var own tuning

// CollectOften makes the collector run often while many agents register. The caller calls restore once, when all have
// registered.
func CollectOften() (restore func()) { return own.collectOften() }

// begin replaces Go's default.
func (t *tuning) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.change(collectAt)
}

// adjust reads the result of the last collection. Small changes are skipped, since each stops the program for a
// moment.
func (t *tuning) adjust() {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	want := collectPercent(sample[0].Value.Uint64())
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.entering > 0 {
		want = min(want, collectEntering)
	}
	if by := want - t.percent; by*by > 100 {
		t.change(want)
	}
}

// change sets the percentage. The caller holds the lock.
func (t *tuning) change(percent int) {
	t.percent = percent
	debug.SetGCPercent(percent)
}

// collectOften makes the collector run often until restore is called, once. Restore returns free memory to the system,
// and the next collection sets the regular percentage.
func (t *tuning) collectOften() (restore func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.entering++; t.percent > collectEntering {
		t.change(collectEntering)
	}
	return func() {
		t.mu.Lock()
		t.entering--
		t.mu.Unlock()
		debug.FreeOSMemory()
	}
}

// afterCollections calls f after every collection, by an unreachable object whose cleanup registers the next one.
func afterCollections(f func()) {
	type mark struct{ _ [32]byte }
	runtime.SetFinalizer(new(mark), func(*mark) {
		f()
		afterCollections(f)
	})
}
