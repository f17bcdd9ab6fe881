package rpc

import (
	"container/list"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
)

// A process may open only so many files, and its connections are among them.
// Guests are the connections that its servers have let in, and those that it
// keeps for its own next calls. They may take half: beyond that, whoever comes
// makes the one leave that has been quiet longest. Quiet is who has no whole
// request under way, be it that it says nothing, or that it says it a byte at a
// time. Such a connection can be closed at any time: who meant well opens
// another. If nobody else is quiet, the one leaves that has listened longest to
// an answer without end.
type guests struct {
	mu      sync.Mutex
	most    int
	all     map[net.Conn]*list.Element // its place among those who can leave; nil: it is being served
	quiet   *list.List                 // of net.Conn, the longest first
	streams *list.List                 // of net.Conn that listen, the longest first
}

// everybody is all guests of this process.
var everybody = newGuests(mostGuests(fileLimit()))

// What a process needs besides connections, and what it can hardly do without.
const (
	ownFiles    = 40 // its listeners, its log, the files that it reads and writes
	leastGuests = 8
)

// mostGuests is how many connections a process may have that may open so many files.
func mostGuests(files int) int { return max(min(files/2, files-ownFiles), leastGuests) }

func newGuests(most int) *guests {
	return &guests{most: most, all: map[net.Conn]*list.Element{}, quiet: list.New(), streams: list.New()}
}

// note keeps track of a connection.
func (g *guests) note(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		g.rest(c)
		g.makeRoom()
	case http.StateIdle:
		g.rest(c)
	case http.StateHijacked, http.StateClosed:
		g.forget(c)
	}
}

// keep counts a connection that waits for the next call of ours.
func (g *guests) keep(c net.Conn) {
	g.rest(c)
	g.makeRoom()
}

// forget counts a connection no longer.
func (g *guests) forget(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leave(c)
	delete(g.all, c)
}

// rest notes that a connection is quiet from now on.
func (g *guests) rest(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leave(c)
	g.all[c] = g.quiet.PushBack(c)
}

// serve notes that a request of a connection is being answered.
func (g *guests) serve(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if place := g.all[c]; place != nil {
		g.leave(c)
		g.all[c] = nil
	}
}

// listen notes that an answer of a connection is on its way and not at its end.
func (g *guests) listen(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if place, here := g.all[c]; here && place == nil {
		g.all[c] = g.streams.PushBack(c)
	}
}

// leave takes a connection from its place among those who can leave. The caller holds the lock.
func (g *guests) leave(c net.Conn) {
	if place := g.all[c]; place != nil {
		g.quiet.Remove(place) // it is in one of the two
		g.streams.Remove(place)
	}
}

// makeRoom closes quiet connections while there are too many.
func (g *guests) makeRoom() {
	for c := g.surplus(); c != nil; c = g.surplus() {
		_ = c.Close()
	}
}

// surplus returns a connection that has to leave, which is forgotten, or nil.
func (g *guests) surplus() net.Conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case len(g.all) <= g.most:
		return nil
	case g.quiet.Len() <= 1 && g.streams.Len() > 0: // the quiet one has just come
		return g.dismiss(g.streams)
	}
	return g.dismiss(g.quiet)
}

// dismiss forgets the first of a list and returns it, or nil. The caller holds the lock.
func (g *guests) dismiss(from *list.List) net.Conn {
	if from.Len() == 0 {
		return nil
	}
	c := from.Remove(from.Front()).(net.Conn)
	delete(g.all, c)
	return c
}

// shed closes connections because the process can open nothing more: a quarter
// of the quiet ones, or of those who listen, but one at least. It reports
// whether there were any.
func (g *guests) shed() bool {
	g.mu.Lock()
	from := g.quiet
	if from.Len() == 0 {
		from = g.streams
	}
	var out []net.Conn
	for range (from.Len() + 3) / 4 {
		out = append(out, g.dismiss(from))
	}
	g.mu.Unlock()
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

// serving lets h answer, and keeps connections from being closed once their request is whole.
func (g *guests) serving(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(connKey{}).(net.Conn)
		switch {
		case ok && r.ContentLength == 0:
			g.serve(c)
		case ok:
			r.Body = &arriving{r.Body, func() { g.serve(c) }}
		}
		if ok {
			w = &listened{w, func() { g.listen(c) }}
		}
		h.ServeHTTP(w, r)
	})
}

// An arriving body tells when all of it is there.
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
