package gate

import (
	"net/http"
	"time"
)

// receive writes the answer that is to be written, and returns when the next request has begun. It reports whether one
// has, in its time.
//
// As with net/http, a request that is not the first has begun when there are four bytes of it, and line ends among
// these, which some clients send after a body, are no part of it.
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

// skipLineEnds drops the line ends with which the next request begins, among its first most bytes.
func (k *conn) skipLineEnds(most int) {
	n := 0
	for n < most && (k.in.b[n] == '\r' || k.in.b[n] == '\n') {
		n++
	}
	if n > 0 {
		k.in.b = k.in.b[:copy(k.in.b, k.in.b[n:])]
	}
}

// send writes the answer. It reports whether the connection goes on.
func (k *conn) send() bool {
	k.writes = until(k.SetWriteDeadline, k.writes, k.gate.HTTP.WriteTimeout)
	_, err := k.Write(k.out.b)
	k.out.give(k.gate.Poison)
	k.out = nil
	k.gate.tell(k, http.StateIdle)
	k.busy.Store(false)
	return err == nil && !k.gate.closing.Load() // after busy, so that either this sees that the gate is closing or Shutdown that it may close
}

// read makes one read. A failed read has no data, and releases an empty buffer.
func (k *conn) read() error {
	if k.in == nil {
		k.in = takeBuffer()
	}
	n, err := k.Read(k.in.room())
	k.in.b = k.in.b[:len(k.in.b)+n]
	if n > 0 {
		return nil // the next read returns the error
	}
	return err
}

// until sets a deadline, unless the current one is close enough: setting it costs the runtime. It returns the
// deadline in force, which is at the earliest after 7/8 of the time.
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
