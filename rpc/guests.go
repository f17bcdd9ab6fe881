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
// Guests are the connections that its servers have let in. They may take half:
// beyond that, whoever comes makes the one leave that has been quiet longest.
// Quiet is who has no whole request under way, be it that it says nothing, or
// that it says it a byte at a time. Such a connection can be closed at any time:
// who meant well opens another.
type guests struct {
	mu    sync.Mutex
	most  int
	all   map[net.Conn]*list.Element // its place in quiet; nil: it is being served
	quiet *list.List                 // of net.Conn, the longest first
}

// everybody is all guests of this process.
var everybody = newGuests(max(fileLimit()/2, 16))

func newGuests(most int) *guests {
	return &guests{most: most, all: map[net.Conn]*list.Element{}, quiet: list.New()}
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
		g.serve(c)
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.all, c)
	}
}

// rest notes that a connection is quiet from now on.
func (g *guests) rest(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.all[c] == nil {
		g.all[c] = g.quiet.PushBack(c)
	}
}

// serve notes that a request of a connection is being answered.
func (g *guests) serve(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if place := g.all[c]; place != nil {
		g.quiet.Remove(place)
		g.all[c] = nil
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
	if len(g.all) <= g.most || g.quiet.Len() == 0 {
		return nil
	}
	c := g.quiet.Remove(g.quiet.Front()).(net.Conn)
	delete(g.all, c)
	return c
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
