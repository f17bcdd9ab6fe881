package league_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

// seeds is how many leagues go wrong in how many ways: LEAGUE_SEEDS, or a number that can be waited for.
func seeds(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("LEAGUE_SEEDS")
	switch n, err := strconv.ParseUint(text, 10, 32); {
	case text != "" && err != nil:
		t.Fatalf("LEAGUE_SEEDS: want a number, got %q", text)
	case text != "":
		return n
	case testing.Short():
		return 20
	}
	return 300
}

// TestSameSeedGivesSameTrace runs every seed twice. Each run has to keep the laws, and the second has to be the first again,
// to the last byte of the log.
func TestSameSeedGivesSameTrace(t *testing.T) {
	for seed := range seeds(t) {
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
