package connlimit

import (
	"context"
	"io"
	"net"
	"net/http"
)

// The connection states of net/http do not suffice for the tracker: a connection is active before its request is
// complete, and an answer may never end. The wrappers below report both.

// connKey is the context key of a request's connection.
type connKey struct{}

// WithConn is the ConnContext of an [http.Server] whose handler was made by [Tracker.Serving].
func WithConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// Serving wraps a handler so that the tracker does not close a connection once its request was read completely.
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

// Read reports to the tracker when the body was read to its end, and the client waits for the answer.
func (a *arriving) Read(b []byte) (int, error) {
	n, err := a.ReadCloser.Read(b)
	if err == io.EOF {
		a.whole()
	}
	return n, err
}

// A listened is a response writer that reports to the tracker when a part of the answer is flushed.
type listened struct {
	http.ResponseWriter
	begun func()
}

// Unwrap gives [http.ResponseController] access to the wrapped writer.
func (l *listened) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// Flush sends buffered data.
func (l *listened) Flush() { _ = l.FlushError() }

// FlushError is Flush with an error.
func (l *listened) FlushError() error {
	l.begun()
	return http.NewResponseController(l.ResponseWriter).Flush()
}
