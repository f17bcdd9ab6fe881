package rpc

import "sync"

// A bodyRoom is memory that requests are written to, one after the other. Nil is none: each request has its own.
type bodyRoom struct {
	memory []byte
	from   *bodyRooms
}

// bodyRooms are the rooms of one kind of requests that no call has.
type bodyRooms struct {
	pool sync.Pool
	most int // bytes that a room may have that is kept for another request
}

// News are acknowledged at once, and may be long. Questions may take long to answer, and keep their buffer for
// retries: so they have separate buffers, which are no larger than questions are.
var (
	roomsForNews      = &bodyRooms{most: 16 << 10}
	roomsForQuestions = &bodyRooms{most: 4 << 10}
)

// take returns memory for a request.
func (k *bodyRooms) take() *bodyRoom {
	if r, ok := k.pool.Get().(*bodyRoom); ok {
		return r
	}
	return &bodyRoom{from: k}
}

// keeps reports whether a buffer of that size is kept for another request.
func (k *bodyRooms) keeps(bytes int) bool { return bytes <= k.most }

// bytes is the memory, to be written to from its beginning.
func (r *bodyRoom) bytes() []byte {
	if r == nil {
		return nil
	}
	return r.memory[:0]
}

// giveBack lets the next call have the memory of a request that was written in the room, or in a larger one in its
// place.
func (r *bodyRoom) giveBack(body []byte) {
	if r == nil || !r.from.keeps(cap(body)) {
		return
	}
	if cap(body) > cap(r.memory) {
		r.memory = body
	}
	releasedRoom(r.memory[:cap(r.memory)])
	r.from.pool.Put(r)
}

// releasedRoom is called with all released memory, for tests that make it inaccessible.
var releasedRoom = func([]byte) {}
