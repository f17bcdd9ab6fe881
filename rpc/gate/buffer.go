package gate

import (
	"bytes"
	"sync"
)

// A buffer holds a request or an answer. An idle connection keeps an empty one of smallBuffer bytes to read the next
// request into.
type buffer struct{ b []byte }

// smallBuffer is the initial size of a buffer in bytes, enough for most messages of a match. Buffers above largeBuffer
// are not returned to the pool.
const (
	smallBuffer = 2 << 10
	largeBuffer = 16 << 10
)

// buffers is the pool of buffers that all connections share.
var buffers = sync.Pool{New: func() any { return &buffer{make([]byte, 0, smallBuffer)} }}

// takeBuffer returns an empty buffer.
func takeBuffer() *buffer { return buffers.Get().(*buffer) }

// bytes returns the content of a buffer; a nil buffer is empty.
func (b *buffer) bytes() []byte {
	if b == nil {
		return nil
	}
	return b.b
}

// readBuffer returns the unused part of a buffer. A full buffer is doubled first: it grows with the data that has
// arrived, not with the length that a client announces.
func (b *buffer) readBuffer() []byte {
	if len(b.b) == cap(b.b) {
		b.b = append(b.b, make([]byte, len(b.b))...)[:len(b.b)]
	}
	return b.b[len(b.b):cap(b.b)]
}

// poisoned overwrites a released buffer.
var poisoned = bytes.Repeat([]byte{0xdb}, smallBuffer)

// give returns a buffer to the pool; b may be nil. Neither the buffer nor slices of it may be used after that. Poison
// overwrites its content first.
func (b *buffer) give(poison bool) {
	if b == nil {
		return
	}
	if poison {
		for all := b.b[:cap(b.b)]; len(all) > 0; {
			all = all[copy(all, poisoned):]
		}
	}
	if b.b = b.b[:0]; cap(b.b) <= largeBuffer {
		buffers.Put(b)
	}
}
