// Package collector adapts Go's garbage collector to the live memory of a process.
package collector

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// The garbage collector runs when garbage reaches a percentage of the live memory. An agent has little live memory, so
// a high percentage costs little memory and saves CPU. A process with much live memory, such as a manager with 100,000
// results or 1,000 leagues, would use several times that memory, so its percentage is 40. With less, a manager of 1,000
// leagues spent a sixth of its CPU in the collector.
const (
	collectAt  = 400 // per cent of the live memory
	collectMin = 40
	spare      = 32 << 20 // that may always be thrown away
	noBurden   = 144 << 20
	softLimit  = 1 << 30
	// collectEntering is the percentage while a large group registers. Memory use peaks then, and garbage between live
	// objects would leave gaps that idle players never fill.
	collectEntering = 50
)

// Begin adapts the collector to the live memory of the process, unless the environment sets GOGC.
func Begin() {
	if os.Getenv("GOGC") == "" {
		own.begin()
		afterCollections(own.adjust)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softLimit)
	}
}

// collectPercent returns the collector's percentage for a number of live bytes. It is large for small processes, and
// falls as the live memory grows.
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

// adjust sets the percentage after a collection. It skips small changes, because each stops the program for a moment.
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

// collectOften makes the collector run often until restore is called, once. restore returns free memory to the system,
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

// afterCollections calls f after every garbage collection. It uses the cleanup of an unreachable object, which
// registers the next such object.
func afterCollections(f func()) {
	type mark struct{ _ [32]byte }
	runtime.SetFinalizer(new(mark), func(*mark) {
		f()
		afterCollections(f)
	})
}
