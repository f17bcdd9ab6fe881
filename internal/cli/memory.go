package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// An agent lives on little memory and makes much that is soon thrown away: so
// it is collected a quarter as often as usual. One that holds much, such as a
// manager with 100,000 results or 1,000 leagues, would take several times that
// from the machine: above a size that is no burden yet, it is collected when four
// tenths of what it holds have been thrown away. With less room than that, a sixth
// of what a manager of 1,000 leagues did was to look for what is in use.
const (
	collectAt  = 400 // per cent of what is in use
	collectMin = 40
	spare      = 32 << 20 // that may always be thrown away
	noBurden   = 144 << 20
	softLimit  = 1 << 30
	// collectEntering is for a crowd that comes in: what a player makes to register lies between what it keeps, and
	// would leave holes in memory that a crowd of idle players never fills. It is the most then.
	collectEntering = 50
)

// spareCollector sets how often memory is collected, unless the environment does.
func spareCollector() {
	if os.Getenv("GOGC") == "" {
		collector.begin()
		afterCollections(collector.adjust)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softLimit)
	}
}

// collectPercent is how much of what is in use may be thrown away before it is collected: spare bytes at least, and from
// 16 MB on more and more, as long as all of it together is no burden.
func collectPercent(live uint64) int {
	live = max(live, 1)
	room := max(spare, min(4*live-min(4*live, spare), noBurden-min(live, noBurden)))
	return int(min(max(100*room/live, collectMin), collectAt))
}

// A tuning keeps the collector at what suits the memory in use. Its zero value leaves it alone.
type tuning struct {
	mu       sync.Mutex
	percent  int // 0: the environment says how often memory is collected
	entering int // crowds that are coming in
}

// collector is the tuning of this process, which has but one collector.
var collector tuning

// begin takes over from what Go does by itself.
func (t *tuning) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.change(collectAt)
}

// adjust looks at what the last collection left. A change stops the program for
// a moment, so that small ones are not worth it.
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

// change has memory collected at so many per cent. The caller holds the lock.
func (t *tuning) change(percent int) {
	t.percent = percent
	debug.SetGCPercent(percent)
}

// crowdEnters has memory collected closely until entered is called, once, when everybody is in. What it took to get
// there goes back to the system then, and the next collection finds what suits those who are in.
func (t *tuning) crowdEnters() (entered func()) {
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

// afterCollections calls f after every collection: nobody holds on to a mark, and
// the one that is collected leaves the next.
func afterCollections(f func()) {
	type mark struct{ _ [32]byte }
	runtime.SetFinalizer(new(mark), func(*mark) {
		f()
		afterCollections(f)
	})
}
