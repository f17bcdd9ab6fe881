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

// The literal numbers in this file come from an independent Python program, written from PROTOCOL.md.

// matchKey is the key of the known answers: the bytes 0 to 31.
func matchKey() []byte {
	key := make([]byte, 32)
	for i := range key {
		key[i] = byte(i)
	}
	return key
}

func TestStreamIsTheKnownOne(t *testing.T) {
	src := draw.Source(matchKey())
	want := []uint64{
		0xa86acbcbc29b8fa8, 0x3c83582d56a892d0, 0xf06f0e487df52776, 0x80b0635c3927e3c5,
		0x99411f24bfa9ee8e, 0x144e132c46b3b7d1,
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
		{10, []int{1, 3, 5, 6, 1, 8, 2, 9, 7, 8, 8, 9, 2, 9, 7, 6, 7, 10, 3, 6}},
		{6, []int{3, 3, 5, 2, 3, 2, 6, 3, 1, 2}},
		{1, []int{1, 1, 1}},
		{1 << 62, []int{2912364185052221353, 4360425815975432913, 3490023940749076343}},
		{math.MaxInt, []int{2912364185052221354, 4360425815975432913, 8101709959176464248, 49648843648132039}},
		// A quarter of all words is skipped here, word 2 the first of them.
		{3<<61 + 1, []int{
			5218207194265915304, 4360425815975432913, 2355491852861825989, 4125612976342953614, 1463128009827661778,
			6095127606395977142,
		}},
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
			t.Errorf("1 to %d from %d: got %d with %d words left, want %d with %d", tt.n, tt.words, got, len(w),
				tt.want, tt.left)
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

// The first number of each match, over the keys of 100,000 matches of one league, as PROTOCOL.md derives them. With
// 9 degrees of freedom χ² of true chance is above 27.88 once in 1,000 leagues, and below 1.15 as seldom: numbers that
// are too even are no chance either. The keys are fixed, so that this test either always passes or never does.
func TestLongFirstDrawsOfALeagueAreEquallyLikely(t *testing.T) {
	const matches, highest = 50_000, 10
	const least, most = 1.15, 27.88
	for secret := range 2 {
		counts := make([]int, highest+1)
		for i := range matches {
			mac := hmac.New(sha256.New, fmt.Appendf(nil, "the secret %d", secret))
			fmt.Fprintf(mac, "match\nleague\nR%dM%d\n\n", 1+i/1000, 1+i%1000)
			counts[draw.Number(draw.New(mac.Sum(nil)), highest)]++
		}
		if got := chiSquare(counts[1:], matches); got < least || got > most {
			t.Errorf("secret %d: χ² = %.2f, want %.2f to %.2f; counts %v", secret, got, least, most, counts[1:])
		} else {
			t.Logf("secret %d: χ² = %.2f; counts %v", secret, got, counts[1:])
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
