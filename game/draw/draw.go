// Package draw derives the random numbers of a match from a key: anyone with the key can
// recompute the numbers with a hash tool.
//
//	league's secret ─HMAC─▶ match key ─HMAC─▶ block 0, block 1, … ─▶ uint64s ─▶ 1..n
//	      │                     │
//	   SHA-256               SHA-256
//	      ▼                     ▼
//	league commitment     match commitment      (published before the draw)
package draw

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
)

// New returns a generator over [Source] of key.
func New(key []byte) *rand.Rand { return rand.New(Source(key)) }

// Source returns the random stream of key: block i is HMAC-SHA256(key, i as four big-endian
// bytes), counted from 0, and each block is four big-endian uint64s.
func Source(key []byte) rand.Source {
	s := new(source)
	if len(key) > len(s.key) {
		sum := sha256.Sum256(key)
		key = sum[:]
	}
	copy(s.key[:], key)
	return s
}

// source returns the words of a block one by one and computes the next block when it is used up. It hashes with plain
// SHA-256 to need one allocation: a match draws only a word or two, and crypto/hmac would allocate six more objects.
type source struct {
	key   [sha256.BlockSize]byte // as HMAC pads it
	next  uint32                 // number of the block to make next
	block [sha256.Size]byte
	used  int // bytes of the block; 0: there is none yet
}

// Uint64 returns the next word of the stream.
func (s *source) Uint64() uint64 {
	if s.used == 0 || s.used == len(s.block) {
		s.block, s.used = s.mac(s.next), 0
		s.next++
	}
	w := binary.BigEndian.Uint64(s.block[s.used:])
	s.used += 8
	return w
}

// mac returns the HMAC-SHA256 of a number, implemented as in RFC 2104.
func (s *source) mac(n uint32) [sha256.Size]byte {
	var inner [sha256.BlockSize + 4]byte
	var outer [sha256.BlockSize + sha256.Size]byte
	for i, k := range s.key {
		inner[i], outer[i] = k^0x36, k^0x5c
	}
	binary.BigEndian.PutUint32(inner[sha256.BlockSize:], n)
	sum := sha256.Sum256(inner[:])
	copy(outer[sha256.BlockSize:], sum[:])
	return sha256.Sum256(outer[:])
}

// Number returns a uniform number from 1 to n. It skips words from ⌊2⁶⁴/n⌋·n on, which would bias the result. It
// panics if n is less than 1.
func Number(rng *rand.Rand, n int) int {
	if n < 1 {
		panic(fmt.Sprintf("draw: a number from 1 to %d: want 1 or more as the highest", n))
	}
	last := lastFair(uint64(n))
	w := rng.Uint64()
	for w > last {
		w = rng.Uint64()
	}
	return 1 + int(w%uint64(n))
}

// lastFair returns ⌊2⁶⁴/n⌋·n - 1, the largest word that Number uses.
func lastFair(n uint64) uint64 {
	excess := -n % n // 2⁶⁴ mod n
	return math.MaxUint64 - excess
}
