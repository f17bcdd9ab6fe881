package connlimit

import (
	"context"
	"io"
	"net"
	"net/http"
)

// The connection states of net/http are not enough for tracking: a request may not be complete, and an answer may
// never end. The wrappers below report the rest.

// connKey is the context key of a request's connection.
type connKey struct{}

// WithConn is a ConnContext of [http.Server] for handlers made by [Tracker.Serving].
func WithConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// Serving wraps a handler so that a connection is not closed once its request was read completely.
func (t *Tracker) Serving(h http.Handler) http.Handler {
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

// An arriving body reports its end.
type arriving struct {
	io.ReadCloser
	whole func()
}

// Read reports the end of the body: from then on the client waits for the answer.
func (a *arriving) Read(b []byte) (int, error) {
	n, err := a.ReadCloser.Read(b)
	if err == io.EOF {
		a.whole()
	}
	return n, err
}

// A listened answer reports when a part of it is sent before its end.
type listened struct {
	http.ResponseWriter
	begun func()
}

// Unwrap gives the standard library access to the writer's other methods.
func (l *listened) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// Flush sends buffered data.
func (l *listened) Flush() { _ = l.FlushError() }

// FlushError is Flush with an error.
func (l *listened) FlushError() error {
	l.begun()
	return http.NewResponseController(l.ResponseWriter).Flush()
}
