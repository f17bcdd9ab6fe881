package rpc

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

// opensStream reports whether req is the MCP SDK's GET for the standalone SSE stream of server-initiated messages.
func opensStream(req *http.Request) bool {
	return req.Method == http.MethodGet && req.Header.Get("Mcp-Protocol-Version") != "" && req.Header.Get("Last-Event-ID") == ""
}

// listen returns the standalone SSE stream of a session. It returns immediately, since some servers send the response
// header only with their first message. When the server's stream ends, listen reconnects with backoff; the returned
// stream stays open, since its end would end the session. The goroutine ends with the request's context.
func (t *toolTrip) listen(req *http.Request) *http.Response {
	out := &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, ContentLength: -1,
	}
	if req.Header.Get(sessionHeader) == "" { // the server could not match our answer with its request
		out.Status, out.StatusCode, out.Body = "405 Method Not Allowed", http.StatusMethodNotAllowed, http.NoBody
		return out
	}
	read, write := io.Pipe()
	out.Body = read
	go func() {
		ctx := req.Context()
		for wait := streamWait; t.pass(req, write) && pause(ctx, wait); {
			wait = min(2*wait, maxStreamWait)
		}
		<-ctx.Done()
		_ = write.Close()
	}()
	return out
}

// The waits before a stream that ended is opened again.
const (
	streamWait    = time.Second
	maxStreamWait = 30 * time.Second
)

// pass opens the server's stream and copies it to to; the result reports whether a reconnect makes sense.
func (t *toolTrip) pass(req *http.Request, to io.Writer) bool {
	resp, err := t.RoundTripper.RoundTrip(t.credentials.sign(req))
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return false
	}
	if _, err := io.Copy(to, resp.Body); err != nil && req.Context().Err() != nil {
		return false
	}
	_, err = io.WriteString(to, "\n\n") // ends an event that was cut off
	return err == nil
}

// pause waits for d, and returns false if ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
