package files

import (
	"math/bits"
	"sync"
)

// A scratch is memory for text that is made, used and forgotten: lines on their way into a round's file, or read from
// one. A new round grows its buffers to the size of all its records, and there may be thirty rounds a second: that was
// half of the bytes that a manager allocated.
//
// Whoever has taken it owns it and all slices of it until it gives it back.
type scratch struct{ text []byte }

// scratches are those that nobody has. The collector takes what is not used.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// takeScratch returns an empty one.
func takeScratch() *scratch { return scratches.Get().(*scratch) }

// maxScratch is the most that is kept for others: some more than what is read or written at once.
const maxScratch = 2 << 20

// give lets others have it. One that grew large for once is left to the collector.
func (s *scratch) give() {
	if cap(s.text) <= maxScratch {
		s.text = s.text[:0]
		scratches.Put(s)
	}
}

// more returns so many bytes behind those that are in use. Their content is undefined. It grows to a power of two, or
// each round that is a little longer than all before would need another one.
func (s *scratch) more(n int) []byte {
	used := len(s.text)
	if used+n > cap(s.text) {
		s.text = append(make([]byte, 0, 1<<bits.Len(uint(used+n-1))), s.text...)
	}
	s.text = s.text[:used+n]
	return s.text[used : used+n : used+n]
}
