package rpc

import "sync"

// A bodyRoom is a reusable buffer for one request body. A nil bodyRoom allocates a new buffer for each request.
type bodyRoom struct {
	memory []byte
	from   *bodyRooms
}

// bodyRooms is a pool of buffers for one kind of request.
type bodyRooms struct {
	pool sync.Pool
	most int // bytes that a room may have that is kept for another request
}

// Broadcasts are acknowledged at once, and may be long. Questions are short, but may take long to answer and keep their
// buffer for retries. Separate pools prevent that questions hold the large buffers of broadcasts.
var (
	roomsForNews      = &bodyRooms{most: 16 << 10}
	roomsForQuestions = &bodyRooms{most: 4 << 10}
)

// take returns a buffer from the pool.
func (k *bodyRooms) take() *bodyRoom {
	if r, ok := k.pool.Get().(*bodyRoom); ok {
		return r
	}
	return &bodyRoom{from: k}
}

// keeps reports whether a buffer of that many bytes may return to the pool.
func (k *bodyRooms) keeps(bytes int) bool { return bytes <= k.most }

// bytes returns the empty slice to which to append a request.
func (r *bodyRoom) bytes() []byte {
	if r == nil {
		return nil
	}
	return r.memory[:0]
}

// giveBack returns the room to the pool. body is the request written in it; if it was reallocated, its memory replaces
// the smaller buffer.
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

// releasedRoom is called with each buffer that returns to a pool; tests replace it to detect use after release.
var releasedRoom = func([]byte) {}
