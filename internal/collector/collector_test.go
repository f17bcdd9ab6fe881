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
func TestMemoryIsCollectedOftenWhileAgentsRegister(t *testing.T) {
	usual := debug.SetGCPercent(100)
	defer debug.SetGCPercent(usual)
	now := func() int {
		percent := debug.SetGCPercent(math.MaxInt32)
		debug.SetGCPercent(percent)
		return percent
	}
	left := new(tuning)
	left.collectOften()()
	if got := now(); got != 100 {
		t.Errorf("with 100 per cent in the environment, memory is collected at %d while agents register", got)
	}
	tuned := new(tuning)
	tuned.begin()
	first, second := tuned.collectOften(), tuned.collectOften()
	first()
	if tuned.adjust(); now() > collectEntering {
		t.Errorf("while agents register, memory is collected at %d per cent, want at most %d", now(), collectEntering)
	}
	second()
	if tuned.adjust(); now() <= collectEntering {
		t.Error("memory is collected as if agents were still registering")
	}
}
