package collector

import (
	"math"
	"runtime/debug"
	"testing"
)

func TestCollectorSparesLittleMemoryAndNotMuch(t *testing.T) {
	for live, want := range map[uint64]int{0: 400, 4 << 20: 400, 8 << 20: 400, 16 << 20: 200, 32 << 20: 300, 64 << 20: 125, 128 << 20: 40, 1 << 30: 40} {
		if got := collectPercent(live); got != want {
			t.Errorf("%d bytes in use: collected at %d per cent, want %d", live, got, want)
		}
	}
}

// It does not run beside others: there is one collector.
func TestMemoryIsCollectedCloselyWhileACrowdEnters(t *testing.T) {
	usual := debug.SetGCPercent(100)
	defer debug.SetGCPercent(usual)
	now := func() int {
		percent := debug.SetGCPercent(math.MaxInt32)
		debug.SetGCPercent(percent)
		return percent
	}
	left := new(tuning)
	left.crowdEnters()()
	if got := now(); got != 100 {
		t.Errorf("where the environment says 100 per cent, a crowd has it collected at %d", got)
	}
	tuned := new(tuning)
	tuned.begin()
	first, second := tuned.crowdEnters(), tuned.crowdEnters()
	first()
	if tuned.adjust(); now() > collectEntering {
		t.Errorf("while a crowd enters memory is collected at %d per cent, want at most %d", now(), collectEntering)
	}
	second()
	if tuned.adjust(); now() <= collectEntering {
		t.Error("memory is collected as if the crowd were still entering")
	}
}
