package rpc

import (
	"container/list"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
)

// A process may open only so many files, and connections are among them. A
// connTracker counts the connections that the servers of this process have
// accepted and those that it keeps for its own next calls, and closes some when
// there are too many: first the one that has been quiet longest, then the one
// that has listened longest to an answer without end.
//
// A connection is quiet while no complete request of it is under way, whether it
// sends nothing at all or a byte at a time. Closing such a connection loses
// nothing: a client that means well opens another.
type connTracker struct {
	mu      sync.Mutex
	most    int
	all     map[net.Conn]*list.Element // its place in quiet or streams; nil: a request is being answered
	quiet   *list.List                 // of net.Conn, the one that has been quiet longest first
	streams *list.List                 // of net.Conn that listen to an unfinished answer, the longest first
}

// processConns are the connections of this process, whichever server or client has them.
var processConns = newConnTracker(mostConns(fileLimit()))

// How many files a process needs besides connections, and how few connections it can work with.
const (
	ownFiles   = 40 // its listeners, its log, the files that it reads and writes
	leastConns = 8
)

// mostConns is how many connections a process may have that may open this many files.
func mostConns(files int) int { return max(min(files/2, files-ownFiles), leastConns) }

func newConnTracker(most int) *connTracker {
	return &connTracker{most: most, all: map[net.Conn]*list.Element{}, quiet: list.New(), streams: list.New()}
}

// note takes over what net/http says of a connection.
func (t *connTracker) note(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		t.rest(c)
		t.makeRoom()
	case http.StateIdle:
		t.rest(c)
	case http.StateHijacked, http.StateClosed:
		t.forget(c)
	}
}

// noteGate takes over what the gate says of a connection: it is active when a whole request has come.
func (t *connTracker) noteGate(c net.Conn, state http.ConnState) {
	if state == http.StateActive {
		t.serve(c)
		return
	}
	t.note(c, state)
}

// keep counts a connection of a client that waits for its next call.
func (t *connTracker) keep(c net.Conn) {
	t.rest(c)
	t.makeRoom()
}

// forget stops counting a connection.
func (t *connTracker) forget(c net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leave(c)
	delete(t.all, c)
}

// rest notes that a connection is quiet from now on; a new one is counted.
func (t *connTracker) rest(c net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leave(c)
	t.all[c] = t.quiet.PushBack(c)
}

// serve notes that a request of a connection is being answered: it is not closed meanwhile.
func (t *connTracker) serve(c net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if place := t.all[c]; place != nil {
		t.leave(c)
		t.all[c] = nil
	}
}

// listen notes that a part of an answer was sent, and that more is to come.
func (t *connTracker) listen(c net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if place, here := t.all[c]; here && place == nil {
		t.all[c] = t.streams.PushBack(c)
	}
}

// leave takes a connection off the list that it is in, if any. The caller holds the lock.
func (t *connTracker) leave(c net.Conn) {
	if place := t.all[c]; place != nil {
		t.quiet.Remove(place) // it is in one of the two
		t.streams.Remove(place)
	}
}

// makeRoom closes connections while there are too many and some can be closed.
func (t *connTracker) makeRoom() {
	for c := t.surplus(); c != nil; c = t.surplus() {
		_ = c.Close()
	}
}

// surplus returns a connection to close, and stops counting it; nil: there are not too many.
func (t *connTracker) surplus() net.Conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case len(t.all) <= t.most:
		return nil
	case t.quiet.Len() <= 1 && t.streams.Len() > 0: // the only quiet one has just come
		return t.dismiss(t.streams)
	}
	return t.dismiss(t.quiet)
}

// dismiss stops counting the first connection of a list and returns it, or nil. The caller holds the lock.
func (t *connTracker) dismiss(from *list.List) net.Conn {
	if from.Len() == 0 {
		return nil
	}
	c := from.Remove(from.Front()).(net.Conn)
	delete(t.all, c)
	return c
}

// shed closes connections because the process can open no more files: a quarter
// of the quiet ones, rounded up, or of those that listen if none is quiet. It
// reports whether it closed any.
func (t *connTracker) shed() bool {
	t.mu.Lock()
	from := t.quiet
	if from.Len() == 0 {
		from = t.streams
	}
	var out []net.Conn
	for range (from.Len() + 3) / 4 {
		out = append(out, t.dismiss(from))
	}
	t.mu.Unlock()
	for _, c := range out {
		_ = c.Close()
	}
	return len(out) > 0
}

// connKey finds the connection of a request in its context.
type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// serving lets h answer, and keeps a connection from being closed once its request has come in completely.
func (t *connTracker) serving(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(connKey{}).(net.Conn)
		switch {
		case ok && r.ContentLength == 0:
			t.serve(c)
		case ok:
			r.Body = &arriving{r.Body, func() { t.serve(c) }}
		}
		if ok {
			w = &listened{w, func() { t.listen(c) }}
		}
		h.ServeHTTP(w, r)
	})
}

// An arriving body tells when all of it has been read.
type arriving struct {
	io.ReadCloser
	whole func()
}

func (a *arriving) Read(b []byte) (int, error) {
	n, err := a.ReadCloser.Read(b)
	if err == io.EOF {
		a.whole()
	}
	return n, err
}

// A listened answer tells when a part of it is sent before its end.
type listened struct {
	http.ResponseWriter
	begun func()
}

// Unwrap lets the standard library find what else the writer can do.
func (l *listened) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// Flush sends what has been written.
func (l *listened) Flush() { _ = l.FlushError() }

// FlushError is Flush, and says what went wrong.
func (l *listened) FlushError() error {
	l.begun()
	return http.NewResponseController(l.ResponseWriter).Flush()
}
