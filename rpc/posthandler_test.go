package rpc_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"

	"agentleague/rpc"
)

// particular answers plain requests at /plain by the gate, and all others by net/http.
type particular struct{}

func (particular) ServePost(_ context.Context, r *rpc.Post) ([]byte, bool) {
	return []byte(`"gate"`), string(r.Path) == "/plain"
}

func (particular) ServeHTTP(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`"http"`)) }

// After an answer of net/http to one of our own clients the connection is closed, so that the next request reaches the
// gate. Other clients keep theirs.
func TestConnectionOfOurOwnClientsDoesNotStayWithNetHTTP(t *testing.T) {
	s, err := rpc.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, particular{}) }()
	t.Cleanup(func() { stop(); <-served })
	for _, c := range []struct {
		agent, path, want string
		close             bool
	}{
		{"league", "/plain", `"gate"`, false},
		{"league", "/other", `"http"`, true},
		{"curl", "/other", `"http"`, false},
	} {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.Port()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nUser-Agent: %s\r\nContent-Length: 2\r\n\r\n{}", c.path, c.agent)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		if string(body) != c.want || resp.Close != c.close {
			t.Errorf("%s to %s: got %s, connection ends: %v, want %s and %v", c.agent, c.path, body, resp.Close, c.want, c.close)
		}
		_ = conn.Close()
	}
}
