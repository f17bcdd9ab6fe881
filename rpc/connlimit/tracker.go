// Package connlimit keeps the number of a process's connections below its limit of open files. It counts the
// connections that servers have accepted and the idle ones that clients keep for later calls.
package connlimit

import (
	"net"
	"net/http"
	"sync"
)

// A Tracker counts connections and closes some when there are too many: first the one that has been quiet longest;
// if none is quiet, the one whose endless answer is oldest. It is safe for concurrent use.
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

// A tracked is a connection with its state, in a list ordered by the last change of state.
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

// ownFiles is the number of files that a process needs besides connections, leastConns the minimum number of
// connections.
const (
	ownFiles   = 40 // its listeners, its log, the files that it reads and writes
	leastConns = 8
)

// mostConns returns the maximum number of connections for a process with a limit of open files.
func mostConns(files int) int { return max(min(files/2, files-ownFiles), leastConns) }

// newTracker returns a tracker that closes connections above a limit.
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

// NoteGate records a connection state of package gate, where a connection is active once a whole request was read.
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

// rest marks a connection as quiet, and adds it if it is new.
func (t *Tracker) rest(c net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.all[c]
	if one == nil {
		one = t.add(c)
	}
	t.begin(one, quiet)
}

// serve marks a connection as served: its request is complete, and it is not closed.
func (t *Tracker) serve(c net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.all[c]; one != nil {
		t.begin(one, served)
	}
}

// listen marks a served connection as listening: a part of its answer was sent, and it may be closed again.
func (t *Tracker) listen(c net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.all[c]; one != nil && one.state == served {
		t.begin(one, listening)
	}
}

// add starts tracking a quiet connection. The caller holds the lock.
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

// begin sets a connection's state and moves it to the end of the list. The caller holds the lock.
func (t *Tracker) begin(one *tracked, state connState) {
	t.count[one.state]--
	t.count[state]++
	one.state = state
	one.prev.next, one.next.prev = one.next, one.prev
	one.prev, one.next = t.order.prev, &t.order
	one.prev.next, one.next.prev = one, one
}

// remove stops tracking a connection and returns it. The caller holds the lock.
func (t *Tracker) remove(one *tracked) net.Conn {
	c := one.conn
	delete(t.all, c)
	t.count[one.state]--
	one.prev.next, one.next.prev = one.next, one.prev
	*one = tracked{next: t.spare}
	t.spare = one
	return c
}

// makeRoom closes connections until the limit is met or none can be closed.
func (t *Tracker) makeRoom() {
	for c := t.surplus(); c != nil; c = t.surplus() {
		_ = c.Close()
	}
}

// surplus stops tracking a connection that must be closed and returns it, or nil if none must.
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

// dismiss stops tracking the connection that has been in a state longest and returns it, or nil if there is none. The
// caller holds the lock.
func (t *Tracker) dismiss(state connState) net.Conn {
	for one := t.order.next; one != &t.order; one = one.next {
		if one.state == state {
			return t.remove(one)
		}
	}
	return nil
}

// shed closes a quarter of the quiet connections, rounded up, or of the listening ones
// if none is quiet. It is called when the process has no free file descriptors. It
// returns whether it closed any.
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
