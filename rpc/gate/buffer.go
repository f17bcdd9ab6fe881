package gate

import (
	"bytes"
	"sync"
)

// A buffer is room for a request or an answer. A connection that waits has an empty one of smallBuffer bytes to read
// the next request into.
type buffer struct{ b []byte }

// How large a buffer is at first, which is enough for most messages of a match, and up to which size it is used again.
const (
	smallBuffer = 2 << 10
	largeBuffer = 16 << 10
)

// buffers are given from connection to connection.
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

// room returns the unused part of a buffer, which grows if it is full: to twice its content, so that an announced
// length alone allocates nothing.
func (b *buffer) room() []byte {
	if len(b.b) == cap(b.b) {
		b.b = append(b.b, make([]byte, len(b.b))...)[:len(b.b)]
	}
	return b.b[len(b.b):cap(b.b)]
}

// poisoned overwrites a released buffer.
var poisoned = bytes.Repeat([]byte{0xdb}, smallBuffer)

// give releases a buffer, which may be nil. Neither the buffer nor slices of it may be used after that.
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
