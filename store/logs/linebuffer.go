package logs

import "sync"

// lineBuffers pools the buffers for pending lines. A log has a buffer only while it has pending lines, so that the
// idle logs of many agents need almost no memory. The logs of a manager or a referee are busy, and their buffers
// grow to maxWaitBytes; they have a separate pool.
var (
	lineBuffers  = sync.Pool{New: func() any { b := make([]byte, 0, 2<<10); return &b }}
	largeBuffers = sync.Pool{New: func() any { b := make([]byte, 0, maxWaitBytes+2<<10); return &b }}
)

// smallBuffer is the largest size in bytes of a buffer in the pool of all logs.
const smallBuffer = 16 << 10

// room returns the buffer for the next line, behind the pending ones. The caller holds the lock, and assigns the
// extended buffer to l.wait.
func (l *Log) room() []byte {
	if l.buffer == nil {
		buffers := &lineBuffers
		if l.busy {
			buffers = &largeBuffers
		}
		l.buffer = buffers.Get().(*[]byte)
		l.wait = (*l.buffer)[:0]
	}
	return l.wait
}

// emptied resets the buffer after its lines were written or lost; they must not be used any more. A log that has
// filled its buffer keeps it until flushLate, because the garbage collector empties the pool, and a large buffer
// is expensive. The caller holds the lock.
func (l *Log) emptied() {
	if l.filled && l.due && !l.closed && cap(l.wait) <= 2*maxWaitBytes {
		l.wait = l.wait[:0]
		return
	}
	l.giveBuffer()
}

// giveBuffer returns the buffer to its pool, and records the size class for the next one. The caller holds the
// lock.
func (l *Log) giveBuffer() {
	if l.buffer == nil {
		return
	}
	l.busy, l.filled = l.filled || len(l.wait) > smallBuffer, false
	switch *l.buffer = l.wait[:0]; {
	case cap(l.wait) <= smallBuffer:
		lineBuffers.Put(l.buffer)
	case cap(l.wait) <= 2*maxWaitBytes: // a line may be longer than most
		largeBuffers.Put(l.buffer)
	}
	l.buffer, l.wait = nil, nil
}
