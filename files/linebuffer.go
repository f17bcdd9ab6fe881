package files

import "sync"

// lineBuffers are for lines that wait: a log has one only while it has such lines, so that the logs of a crowd hold
// next to nothing while it is idle. Those of a manager or a referee, through whose logs everything passes, grow to
// maxWaitBytes; they are kept apart, so that the logs of a crowd do not come to hold one each.
var (
	lineBuffers  = sync.Pool{New: func() any { b := make([]byte, 0, 2<<10); return &b }}
	largeBuffers = sync.Pool{New: func() any { b := make([]byte, 0, maxWaitBytes+2<<10); return &b }}
)

// smallBuffer is how large a buffer may have become, in bytes, that any log may have next.
const smallBuffer = 16 << 10

// room is where the next line goes, behind those that wait. The caller holds the lock, and makes what it has added to
// the lines that wait.
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

// emptied follows a write of the lines, or their loss. A log that has filled its buffer keeps it for those that come
// next, until flushLate gives it back: what passes through a pool is lost to every other collection, and is large.
// Nobody may look at the lines any more. The caller holds the lock.
func (l *Log) emptied() {
	if l.filled && l.due && !l.closed && cap(l.wait) <= 2*maxWaitBytes {
		l.wait = l.wait[:0]
		return
	}
	l.giveBuffer()
}

// giveBuffer gives the buffer back, if there is one, and notes how large the next is to be. The caller holds the lock.
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
