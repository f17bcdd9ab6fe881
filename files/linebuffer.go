package files

import "sync"

// lineBuffers are for lines that wait: a log has one only while it has such lines, so that the logs of a crowd hold next
// to nothing while it is idle.
var lineBuffers = sync.Pool{New: func() any { b := make([]byte, 0, 2<<10); return &b }}

// room is where the next line goes, behind those that wait. The caller holds the lock, and makes what it has added to
// the lines that wait.
func (l *Log) room() []byte {
	if l.buffer == nil {
		l.buffer = lineBuffers.Get().(*[]byte)
		l.wait = (*l.buffer)[:0]
	}
	return l.wait
}

// giveBuffer gives the buffer back when its lines are written, or lost. Nobody may look at them any more.
func (l *Log) giveBuffer() {
	if cap(l.wait) <= 2*maxWaitBytes { // a line may be longer than most
		*l.buffer = l.wait[:0]
		lineBuffers.Put(l.buffer)
	}
	l.buffer, l.wait = nil, nil
}
