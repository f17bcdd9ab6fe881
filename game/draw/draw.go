// Package draw makes the chance of a match: numbers that follow from a key, so that
// anyone who is given the key afterwards can draw them again with a hash tool.
//
//	league's secret ─HMAC─▶ match key ─HMAC─▶ block 0, block 1, … ─▶ uint64s ─▶ 1..n
//	      │                     │
//	   SHA-256               SHA-256
//	      ▼                     ▼
//	league commitment     match commitment      (published before the draw)
package draw

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"math/rand/v2"
)

// New returns a generator over [Source] of key.
func New(key []byte) *rand.Rand { return rand.New(Source(key)) }

// Source returns the stream of key: block i is HMAC-SHA256(key, i as four big-endian
// bytes), counted from 0, and each block is four big-endian uint64s.
func Source(key []byte) rand.Source {
	return &source{mac: hmac.New(sha256.New, key)}
}

// source hands out a block word by word and makes the next when it is used up.
type source struct {
	mac   hash.Hash
	next  uint32 // number of the block to make next
	words []byte // unused rest of the current block
}

// Uint64 returns the next word of the stream.
func (s *source) Uint64() uint64 {
	if len(s.words) == 0 {
		s.words = s.block()
	}
	w := binary.BigEndian.Uint64(s.words)
	s.words = s.words[8:]
	return w
}

// block returns the next block of the stream.
func (s *source) block() []byte {
	s.mac.Reset()
	s.mac.Write(binary.BigEndian.AppendUint32(nil, s.next))
	s.next++
	return s.mac.Sum(nil)
}

// Number draws from 1 to n, each number exactly as likely as the others: words from
// ⌊2⁶⁴/n⌋·n on are skipped. It panics if n is less than 1.
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

// lastFair returns ⌊2⁶⁴/n⌋·n - 1, which fits where 2⁶⁴ does not.
func lastFair(n uint64) uint64 {
	excess := -n % n // 2⁶⁴ mod n
	return math.MaxUint64 - excess
}
