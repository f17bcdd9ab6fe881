package rpc

import (
	"context"
	"net/http"
	"time"
)

// writeFor is the timeout of a write to a client.
const writeFor = 30 * time.Second

// A stream is the answer to an MCP request. It has no total deadline while its client reads, and ends when the server
// does.
type stream struct {
	http.ResponseWriter
	control *http.ResponseController
	request *http.Request
}

// Write sets a deadline for each write: a stream as a whole has none, and a reader that stopped would hold it
// forever.
func (s *stream) Write(b []byte) (int, error) {
	_ = s.control.SetWriteDeadline(time.Now().Add(writeFor))
	return s.ResponseWriter.Write(b)
}

// Unwrap lets the SDK flush.
func (s *stream) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// newStream lifts the limits that a request of league.v2 has. The second result
// puts them back.
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
		_ = control.SetWriteDeadline(time.Now().Add(writeFor))
	}
}
