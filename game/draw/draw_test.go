package draw_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"agentleague/game/draw"
)

// The literal numbers in this file come from a Python program that knows only PROTOCOL.md.

func TestStreamIsTheKnownOne(t *testing.T) {
	src := draw.Source(matchKey())
	want := []uint64{
		0x499cc86c905c1538, 0x4136fcf6d5cc60d8, 0xaceb05df2c46b8ac, 0xe6d1a593b8102b7b,
		0x3bb63d30b6d78fc6, 0xa705a616c6a26ac9,
	}
	for i, w := range want {
		if got := src.Uint64(); got != w {
			t.Errorf("word %d: got %#x, want %#x", i, got, w)
		}
	}
}

func TestStreamIsHMACOfTheBlockNumber(t *testing.T) {
	for _, key := range [][]byte{nil, []byte("k"), matchKey(), make([]byte, 100)} {
		src := draw.Source(key)
		for block := range uint32(300) {
			mac := hmac.New(sha256.New, key)
			mac.Write([]byte{byte(block >> 24), byte(block >> 16), byte(block >> 8), byte(block)})
			sum := mac.Sum(nil)
			for i := 0; i < len(sum); i += 8 {
				if got, want := src.Uint64(), binary.BigEndian.Uint64(sum[i:]); got != want {
					t.Fatalf("key %x, block %d, byte %d: got %#x, want %#x", key, block, i, got, want)
				}
			}
		}
	}
}

func TestNumbersAreTheKnownOnes(t *testing.T) {
	tests := []struct {
		n    int
		want []int
	}{
		{10, []int{1, 7, 1, 8, 9, 8, 8, 8, 8, 2, 8, 10, 5, 8, 8, 5, 1, 9, 1, 3}},
		{6, []int{5, 3, 5, 2, 3, 2, 6, 4, 2, 4}},
		{1, []int{1, 1, 1}},
		{1 << 62, []int{692648811312190777, 87535379859398873, 3236687213274511533}},
		{math.MaxInt, []int{5304334829739578681, 4699221398286786777, 3236687213274511534, 7408884915868019581}},
		// A quarter of all words is skipped here, the fourth among them.
		{3<<61 + 1, []int{5304334829739578681, 4699221398286786777, 5542530222488205484, 4302693773434392519}},
	}
	for _, tt := range tests {
		if got := numbers(draw.New(matchKey()), tt.n, len(tt.want)); !slices.Equal(got, tt.want) {
			t.Errorf("1 to %d: got %v, want %v", tt.n, got, tt.want)
		}
	}
}

// words is a source that hands out given words.
type words []uint64

func (w *words) Uint64() uint64 {
	first := (*w)[0]
	*w = (*w)[1:]
	return first
}

func TestWordsThatWouldFavourLowNumbersAreSkipped(t *testing.T) {
	const limit = 18_446_744_073_709_551_610 // ⌊2⁶⁴/10⌋·10
	tests := []struct {
		n     int
		words words
		want  int
		left  int
	}{
		{10, words{limit - 1, 5}, 10, 1},
		{10, words{limit, 5}, 6, 0},
		{10, words{math.MaxUint64, limit, limit + 1, 0}, 1, 0},
		{2, words{math.MaxUint64, 0}, 2, 1},
		{1, words{math.MaxUint64, 0}, 1, 1},
		{3, words{math.MaxUint64, 4}, 2, 0},
	}
	for _, tt := range tests {
		w := slices.Clone(tt.words)
		if got := draw.Number(rand.New(&w), tt.n); got != tt.want || len(w) != tt.left {
			t.Errorf("1 to %d from %d: got %d with %d words left, want %d with %d", tt.n, tt.words, got, len(w), tt.want, tt.left)
		}
	}
}

func TestNumberOfNothingPanics(t *testing.T) {
	for _, n := range []int{0, -1, math.MinInt} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("1 to %d: got a number, want a panic", n)
				}
			}()
			draw.Number(draw.New(nil), n)
		}()
	}
}

func TestNumbersAreEquallyLikely(t *testing.T) {
	const draws, highest = 100_000, 10
	const critical = 27.88 // χ² with 9 degrees of freedom, p = 0.001
	for i := range 3 {
		counts := make([]int, highest+1)
		for _, n := range numbers(draw.New(fmt.Appendf(nil, "chi-square key %d", i)), highest, draws) {
			counts[n]++
		}
		if got := chiSquare(counts[1:], draws); got > critical {
			t.Errorf("key %d: χ² = %.2f, want at most %.2f; counts %v", i, got, critical, counts[1:])
		}
	}
}

// chiSquare returns how far counts are from being equal.
func chiSquare(counts []int, total int) (sum float64) {
	want := float64(total) / float64(len(counts))
	for _, c := range counts {
		sum += (float64(c) - want) * (float64(c) - want) / want
	}
	return sum
}

// numbers draws some numbers from 1 to n.
func numbers(rng *rand.Rand, n, draws int) (out []int) {
	for range draws {
		out = append(out, draw.Number(rng, n))
	}
	return out
}
