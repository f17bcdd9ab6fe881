package rpc

import "sync"

// A bodyRoom is memory that requests are written to, one after the other. Nil is none: each request has its own.
type bodyRoom []byte

// bodyRooms are those that no call has.
var bodyRooms = sync.Pool{New: func() any { return new(bodyRoom) }}

// maxBodyRoom is how many bytes a room may have that is kept for another request.
const maxBodyRoom = 16 << 10

// takeRoom returns memory for a request that is given back soon.
func takeRoom() *bodyRoom { return bodyRooms.Get().(*bodyRoom) }

// bytes is the memory, to be written to from its beginning.
func (r *bodyRoom) bytes() []byte {
	if r == nil {
		return nil
	}
	return (*r)[:0]
}

// giveBack lets the next call have the memory of a request that was written in the room, or in a larger one in its
// place.
func (r *bodyRoom) giveBack(body []byte) {
	if r == nil || cap(body) > maxBodyRoom {
		return
	}
	if cap(body) > cap(*r) {
		*r = body
	}
	bodyRooms.Put(r)
}
