package cli

import "testing"

func TestCollectorSparesLittleMemoryAndNotMuch(t *testing.T) {
	for live, want := range map[uint64]int{0: 400, 4 << 20: 400, 8 << 20: 400, 32 << 20: 200, 64 << 20: 100, 128 << 20: 25, 1 << 30: 25} {
		if got := collectPercent(live); got != want {
			t.Errorf("%d bytes in use: collected at %d per cent, want %d", live, got, want)
		}
	}
}
