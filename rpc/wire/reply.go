package wire

import (
	"fmt"
	"sync"
)

// headRoom limits the size of a plain head. A longer one is read by the standard library.
const headRoom = 4 << 10

// atOnce limits the initial allocation for an announced length. More is allocated only as data arrives.
const atOnce = 64 << 10

// A reply is an answer while it is being read. It holds no memory before the first byte has come: most of a call
// is waiting.
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

// room returns where the next bytes go. It is never empty.
func (r *reply) room() []byte {
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

// takeHead reads the head, if all of it has come, and makes room for the body.
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

// begun returns the bytes of an answer with a head that is not plain, or incomplete. The reply owns them.
func (r *reply) begun() []byte {
	if r.start == nil {
		return nil
	}
	return r.start[:r.n]
}

// answer returns the body of an answer that is whole, which is the caller's, and whether nothing follows it.
func (r *reply) answer() (body []byte, alone bool, err error) {
	if int64(r.length) > r.limit {
		return nil, false, TooLarge(r.limit)
	}
	return r.body[:r.length:r.length], r.got == r.length, nil
}

// release releases the buffer of the head. Slices of it must not be used any more.
func (r *reply) release() {
	if r.start != nil {
		released(r.start[:])
		starts.Put(r.start)
		r.start, r.n = nil, 0
	}
}

// released is called with each released buffer, for tests that make it inaccessible.
var released = func([]byte) {}

// TooLarge is the error of an answer that has more than limit bytes.
func TooLarge(limit int64) error { return fmt.Errorf("the answer is larger than %d bytes", limit) }
