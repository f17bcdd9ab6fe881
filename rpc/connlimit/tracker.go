// Package connlimit keeps the connections of a process below its limit of open files. It counts the connections that
// servers have accepted and those that clients keep for later calls.
package connlimit

import (
	"net"
	"net/http"
	"sync"
)

// A Tracker counts connections and closes some when there are too many: first the one that has been quiet longest,
// then the one with the oldest endless answer. It is safe for concurrent use.
//
// A connection is quiet while it has no complete request in progress, whether it sends nothing at all or a byte at a
// time. Closing such a connection loses nothing: a legitimate client opens another.
type Tracker struct {
	mu    sync.Mutex
	most  int
	all   map[net.Conn]*tracked
	order tracked  // the ends of a ring: the oldest in a state is next
	count [3]int   // how many there are in each state
	spare *tracked // those that can be used again, linked by next: no exchange makes one
}

// A tracked connection has its place in the order of state changes.
type tracked struct {
	conn       net.Conn
	state      connState
	prev, next *tracked
}

// A connState is the state of a connection.
type connState int

const (
	quiet     connState = iota
	served              // a request is being answered
	listening           // to an answer that is not finished
)

// Process tracks the connections of all servers and clients of this process.
var Process = newTracker(mostConns(FileLimit()))

// How many files a process needs besides connections, and how few connections it can work with.
const (
	ownFiles   = 40 // its listeners, its log, the files that it reads and writes
	leastConns = 8
)

// mostConns is how many connections a process may have that may open this many files.
func mostConns(files int) int { return max(min(files/2, files-ownFiles), leastConns) }

// newTracker makes a tracker that closes connections above a limit.
func newTracker(most int) *Tracker {
	t := &Tracker{most: most, all: map[net.Conn]*tracked{}}
	t.order.prev, t.order.next = &t.order, &t.order
	return t
}

// Note applies a connection state of net/http.
func (t *Tracker) Note(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		t.rest(c)
		t.makeRoom()
	case http.StateIdle:
		t.rest(c)
	case http.StateHijacked, http.StateClosed:
		t.Forget(c)
	}
}

// NoteGate applies a connection state of package gate, where a connection is active once a whole request was read.
func (t *Tracker) NoteGate(c net.Conn, state http.ConnState) {
	if state == http.StateActive {
		t.serve(c)
		return
	}
	t.Note(c, state)
}

// Keep counts an idle connection of a client.
func (t *Tracker) Keep(c net.Conn) {
	t.rest(c)
	t.makeRoom()
}

// Forget stops counting a connection.
func (t *Tracker) Forget(c net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.all[c]; one != nil {
		t.remove(one)
	}
}

// rest marks a connection as quiet, and counts a new one.
func (t *Tracker) rest(c net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.all[c]
	if one == nil {
		one = t.add(c)
	}
	t.begin(one, quiet)
}

// serve marks a connection as being answered, which protects it.
func (t *Tracker) serve(c net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.all[c]; one != nil {
		t.begin(one, served)
	}
}

// listen marks a connection whose answer was sent in part.
func (t *Tracker) listen(c net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.all[c]; one != nil && one.state == served {
		t.begin(one, listening)
	}
}

// add counts a connection that is quiet. The caller holds the lock.
func (t *Tracker) add(c net.Conn) *tracked {
	one := t.spare
	if one == nil {
		one = &tracked{}
	} else {
		t.spare = one.next
	}
	*one = tracked{conn: c, prev: t.order.prev, next: &t.order}
	one.prev.next, one.next.prev = one, one
	t.all[c] = one
	t.count[quiet]++
	return one
}

// begin records a connection's new state. The caller holds the lock.
func (t *Tracker) begin(one *tracked, state connState) {
	t.count[one.state]--
	t.count[state]++
	one.state = state
	one.prev.next, one.next.prev = one.next, one.prev
	one.prev, one.next = t.order.prev, &t.order
	one.prev.next, one.next.prev = one, one
}

// remove stops counting a connection and returns it. The caller holds the lock.
func (t *Tracker) remove(one *tracked) net.Conn {
	c := one.conn
	delete(t.all, c)
	t.count[one.state]--
	one.prev.next, one.next.prev = one.next, one.prev
	*one = tracked{next: t.spare}
	t.spare = one
	return c
}

// makeRoom closes connections while there are too many and some can be closed.
func (t *Tracker) makeRoom() {
	for c := t.surplus(); c != nil; c = t.surplus() {
		_ = c.Close()
	}
}

// surplus returns a connection to close, and stops counting it; nil: there are not too many.
func (t *Tracker) surplus() net.Conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case len(t.all) <= t.most:
		return nil
	case t.count[quiet] <= 1 && t.count[listening] > 0: // the only quiet one has just come
		return t.dismiss(listening)
	}
	return t.dismiss(quiet)
}

// dismiss stops counting the connection that has been in a state longest and returns it, or nil. The caller holds the
// lock.
func (t *Tracker) dismiss(state connState) net.Conn {
	for one := t.order.next; one != &t.order; one = one.next {
		if one.state == state {
			return t.remove(one)
		}
	}
	return nil
}

// shed closes connections because the process can open no more files: a quarter
// of the quiet ones, rounded up, or of those that listen if none is quiet. It
// reports whether it closed any.
func (t *Tracker) shed() bool {
	t.mu.Lock()
	from := quiet
	if t.count[quiet] == 0 {
		from = listening
	}
	var out []net.Conn
	for range (t.count[from] + 3) / 4 {
		out = append(out, t.dismiss(from))
	}
	t.mu.Unlock()
	for _, c := range out {
		_ = c.Close()
	}
	return len(out) > 0
}
