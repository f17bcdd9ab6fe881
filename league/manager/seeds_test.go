package manager_test

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"testing"
)

// fewSeeds is the number of faulty leagues in a short run.
const fewSeeds = 12

// manySeeds is how many of them there are in all: LEAGUE_SEEDS, or 80.
func manySeeds(t *testing.T) uint64 {
	t.Helper()
	text := cmp.Or(os.Getenv("LEAGUE_SEEDS"), "80")
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		t.Fatalf("LEAGUE_SEEDS: want a number, got %q", text)
	}
	return n
}

func TestSameSeedGivesSameTrace(t *testing.T)      { sameTraces(t, 0, fewSeeds) }
func TestLongManySeedsGiveSameTraces(t *testing.T) { sameTraces(t, fewSeeds, manySeeds(t)) }

// sameTraces runs every seed twice. Each run has to keep the laws, and the second has to be the first again, to the
// last byte of the log.
func sameTraces(t *testing.T, from, to uint64) {
	for seed := from; seed < to; seed++ {
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
