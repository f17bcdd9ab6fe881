package league_test

import (
	"fmt"
	"testing"
)

func TestSameSeedGivesSameTrace(t *testing.T) {
	seeds := 200
	if testing.Short() {
		seeds = 20
	}
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			first, a := chaos(t, seed)
			second, b := chaos(t, seed)
			if first == second {
				return
			}
			for i := range min(len(a), len(b)) {
				if a[i] != b[i] {
					t.Fatalf("runs differ at step %d:\n%s\n%s\nafter %s", i, a[i], b[i], a[max(i-1, 0)])
				}
			}
			t.Errorf("runs differ: %d and %d steps", len(a), len(b))
		})
	}
}
