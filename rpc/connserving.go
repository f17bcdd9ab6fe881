package rpc

import (
	"context"
	"io"
	"net"
	"net/http"
)

// What net/http says of a connection is not enough to track it: a request that has begun has not come in yet, and an
// answer that has begun may never end. Its handlers tell the rest.

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

// Read reads on, and notes when the request is whole: from then on its sender waits for us.
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
