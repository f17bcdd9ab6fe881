package logs

import "sync"

// lineBuffers holds buffers for pending lines: a log has a buffer only while it has such lines, so that the idle logs
// of a crowd take almost no memory. The logs of a manager or a referee are busy, and their buffers grow to
// maxWaitBytes; a separate pool keeps them from the logs of a crowd.
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

// emptied resets the buffer after a write of the lines, or their loss. A log that has filled its buffer keeps it
// until flushLate returns it to the pool, because every other garbage collection empties the pool, and the buffer is
// large. The lines must not be used any more. The caller holds the lock.
func (l *Log) emptied() {
	if l.filled && l.due && !l.closed && cap(l.wait) <= 2*maxWaitBytes {
		l.wait = l.wait[:0]
		return
	}
	l.giveBuffer()
}

// giveBuffer returns the buffer to its pool, if there is one, and records the size class of the next. The caller
// holds the lock.
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
