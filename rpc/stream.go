package rpc

import (
	"context"
	"net/http"
	"time"
)

// writeTimeout is the timeout of one write to an MCP client.
const writeTimeout = 30 * time.Second

// A stream is the answer to an MCP request. It has no total deadline as long as its client reads, and ends when the
// server shuts down.
type stream struct {
	http.ResponseWriter
	control *http.ResponseController
	request *http.Request
}

// Write sets a deadline for each write, so that a client that has stopped reading cannot hold the stream forever.
func (s *stream) Write(b []byte) (int, error) {
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	return s.ResponseWriter.Write(b)
}

// Unwrap returns the underlying writer, so that the MCP SDK can flush it.
func (s *stream) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// newStream removes the connection's deadlines for the duration of an MCP request. The returned
// function must be called at its end; it limits writes again.
func newStream(w http.ResponseWriter, r *http.Request) (*stream, func()) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // otherwise the read deadline would look like a disconnected client
	_ = control.SetWriteDeadline(time.Time{})
	ctx, cancel := context.WithCancel(r.Context())
	unhook := func() bool { return true }
	if serving, ok := ctx.Value(servingKey{}).(context.Context); ok {
		unhook = context.AfterFunc(serving, cancel)
	}
	return &stream{w, control, r.WithContext(ctx)}, func() {
		unhook()
		cancel()
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout))
	}
}
