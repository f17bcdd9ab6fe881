package gate

import (
	"net/http"
	"time"
)

// receive writes the pending answer and waits until the next request has begun. It returns false if the connection
// fails, times out or must be closed.
//
// As in net/http, a request other than the first has begun after four bytes. Line ends among these, which some
// clients send after a body, are skipped.
func (k *conn) receive(first bool) bool {
	wait, least := k.gate.HTTP.IdleTimeout, 4
	if first {
		wait, least = k.gate.HTTP.ReadHeaderTimeout, 1
	}
	k.reads = until(k.SetReadDeadline, k.reads, wait)
	if k.out != nil && !k.send() {
		return false
	}
	for len(k.in.bytes()) < least {
		if k.read() != nil {
			return false
		}
	}
	k.busy.Store(true)
	if !first {
		k.skipLineEnds(least)
	}
	return true
}

// skipLineEnds removes the line ends among the first most bytes in front of a request.
func (k *conn) skipLineEnds(most int) {
	n := 0
	for n < most && (k.in.b[n] == '\r' || k.in.b[n] == '\n') {
		n++
	}
	if n > 0 {
		k.in.b = k.in.b[:copy(k.in.b, k.in.b[n:])]
	}
}

// send writes the pending answer. It returns false if the connection must be closed.
func (k *conn) send() bool {
	k.writes = until(k.SetWriteDeadline, k.writes, k.gate.HTTP.WriteTimeout)
	_, err := k.Write(k.out.b)
	k.out.give(k.gate.Poison)
	k.out = nil
	k.gate.tell(k, http.StateIdle)
	k.busy.Store(false)
	return err == nil && !k.gate.closing.Load() // after busy, so that either this sees that the gate is closing or Shutdown that it may close
}

// read reads once into the buffer. It returns an error only if no data was read.
func (k *conn) read() error {
	if k.in == nil {
		k.in = takeBuffer()
	}
	n, err := k.Read(k.in.readBuffer())
	k.in.b = k.in.b[:len(k.in.b)+n]
	if n > 0 {
		return nil // the next read returns the error
	}
	return err
}

// until sets a deadline d from now and returns it. If last, the deadline in force, still has more than 7/8 of d left,
// until keeps it and returns last, since setting a deadline is expensive.
func until(set func(time.Time) error, last time.Time, d time.Duration) time.Time {
	now := time.Now()
	if left := last.Sub(now); left > d-d/8 && left <= d {
		return last
	}
	last = now.Add(d)
	if d <= 0 {
		last = noTime
	}
	_ = set(last)
	return last
}
