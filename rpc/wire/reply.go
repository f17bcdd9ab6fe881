package wire

import (
	"fmt"
	"sync"
)

// headRoom is the maximum size of a plain head in bytes. The standard library reads larger ones.
const headRoom = 4 << 10

// atOnce is the largest Content-Length, in bytes, for which the body is allocated before it arrives. The standard
// library reads larger answers.
const atOnce = 64 << 10

// A reply is an answer that is being read. It holds no memory before the first byte arrives, since a call spends most
// of its time waiting.
type reply struct {
	limit int64 // bytes that the body may have
	heard bool  // a byte has come

	start *[headRoom]byte // the bytes before the head was complete; shared, see release
	n     int             // bytes in start

	head
	body []byte // with room for one byte more, which shows that something follows
	got  int    // bytes in body
}

// starts are the buffers for incomplete heads.
var starts = sync.Pool{New: func() any { return new([headRoom]byte) }}

// readBuffer returns the buffer for the next bytes. It is never empty.
func (r *reply) readBuffer() []byte {
	switch {
	case r.body != nil:
		return r.body[r.got:]
	case r.start == nil:
		r.start = starts.Get().(*[headRoom]byte)
	}
	return r.start[r.n:]
}

// took records that n bytes were read.
func (r *reply) took(n int) verdict {
	r.heard = r.heard || n > 0
	if r.body == nil {
		r.n += n
		if v := r.takeHead(); v != whole {
			return v
		}
	} else {
		r.got += n
	}
	if r.got < r.length {
		return more
	}
	return whole
}

// takeHead parses the head. If it is complete, takeHead allocates the body and copies the bytes that follow the head
// into it.
func (r *reply) takeHead() (v verdict) {
	r.head, v = readHead(r.start[:r.n])
	switch {
	case v == more && r.n == headRoom, v == whole && r.length > atOnce && int64(r.length) <= r.limit:
		return other
	case v != whole:
		return v
	}
	if int64(r.length) > r.limit {
		r.body = []byte{}
		r.got = r.length // it is not read
		return whole
	}
	r.body = make([]byte, r.length+1)
	r.got = copy(r.body, r.start[r.size:r.n])
	r.release()
	return whole
}

// begun returns the bytes read so far of an answer whose head is incomplete or not plain. They are valid until release.
func (r *reply) begun() []byte {
	if r.start == nil {
		return nil
	}
	return r.start[:r.n]
}

// answer returns the body of a complete answer, which the caller owns. alone reports that no further bytes follow it.
func (r *reply) answer() (body []byte, alone bool, err error) {
	if int64(r.length) > r.limit {
		return nil, false, TooLarge(r.limit)
	}
	return r.body[:r.length:r.length], r.got == r.length, nil
}

// release returns the buffer of the head to the pool. Slices of it must not be used any more.
func (r *reply) release() {
	if r.start != nil {
		released(r.start[:])
		starts.Put(r.start)
		r.start, r.n = nil, 0
	}
}

// released is called with each released buffer; tests replace it to detect use after release.
var released = func([]byte) {}

// TooLarge returns the error for an answer of more than limit bytes.
func TooLarge(limit int64) error { return fmt.Errorf("the answer is larger than %d bytes", limit) }
