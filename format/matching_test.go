package format

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// costs is a symmetric matrix.
type costs [][]int64

// randomCosts returns costs below most for n vertices.
func randomCosts(rng *rand.Rand, n int, most int64) costs {
	c := make(costs, n)
	for i := range c {
		c[i] = make([]int64, n)
		for j := range i {
			c[i][j] = rng.Int64N(most)
			c[j][i] = c[i][j]
		}
	}
	return c
}

func (c costs) at(i, j int) int64 { return c[i][j] }

// of returns the sum of a matching's costs. It fails the test if the matching is not perfect.
func (c costs) of(t testing.TB, mates []int) (sum int64) {
	t.Helper()
	for i, j := range mates {
		if j < 0 || j >= len(mates) || j == i || mates[j] != i {
			t.Fatalf("vertex %d has the mate %d: %v", i, j, mates)
		}
		if i < j {
			sum += c[i][j]
		}
	}
	return sum
}

// least returns the least cost of a perfect matching by trying all.
func (c costs) least(left []int) int64 {
	if len(left) == 0 {
		return 0
	}
	best := int64(1) << 62
	for k := 1; k < len(left); k++ {
		var others []int
		others = append(append(others, left[1:k]...), left[k+1:]...)
		best = min(best, c[left[0]][left[k]]+c.least(others))
	}
	return best
}

func TestMatchingIsMinimal(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	for run := range 3000 {
		n := rng.IntN(5) * 2
		c := randomCosts(rng, n, []int64{2, 4, 10, 100, 1 << 57}[run%5])
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		if got, want := c.of(t, match(n, c.at)), c.least(all); got != want {
			t.Fatalf("run %d, %d vertices: cost %d, want %d: %v", run, n, got, want, c)
		}
	}
}

func BenchmarkMatching(b *testing.B) {
	for _, n := range []int{32, 64, 128, 256} {
		for _, most := range []int64{3, 100, 1 << 50} {
			c := randomCosts(rand.New(rand.NewPCG(2, 2)), n, most)
			b.Run(fmt.Sprintf("%d/%d", n, most), func(b *testing.B) {
				for b.Loop() {
					match(n, c.at)
				}
			})
		}
	}
}
