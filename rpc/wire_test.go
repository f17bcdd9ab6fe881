package rpc_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/rpc"
)

const pongBody = `{"jsonrpc":"2.0","result":{"message_type":"PONG","status":"ok"},"id":1}`

// counting serves h and counts the connections that are made to it.
func counting(t *testing.T, h http.HandlerFunc) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var made atomic.Int64
	s := httptest.NewUnstartedServer(h)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			made.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s, &made
}

func pongs(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	_, _ = io.WriteString(w, pongBody)
}

func TestCallsOneAfterTheOtherShareAConnection(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"length": pongs,
		"chunks": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, pongBody[:10])
			w.(http.Flusher).Flush()
			_, _ = io.WriteString(w, pongBody[10:])
		},
	} {
		s, made := counting(t, h)
		n := rpc.NewNode("referee:REF01", rpc.Options{})
		for range 5 {
			if got := outcome(n.Call(t.Context(), rpc.Peer{Endpoint: s.URL + "/mcp"}, ping())); got != "PONG" {
				t.Fatalf("%s: got %s, want PONG", name, got)
			}
		}
		if made.Load() != 1 {
			t.Errorf("%s: got %d connections for 5 calls, want 1", name, made.Load())
		}
	}
}

func TestConnectionIsNotUsedAgainAfterADeadline(t *testing.T) {
	slow := make(chan struct{})
	var first sync.Once
	s, made := counting(t, func(w http.ResponseWriter, r *http.Request) {
		first.Do(func() { <-slow })
		pongs(w, r)
	})
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if got := outcome(n.Call(ctx, rpc.Peer{Endpoint: s.URL}, ping())); got != "E001" {
		t.Errorf("got %s, want E001", got)
	}
	close(slow) // its late answer arrives on a connection without a reader
	if got := outcome(n.Call(t.Context(), rpc.Peer{Endpoint: s.URL}, ping())); got != "PONG" || made.Load() != 2 {
		t.Errorf("got %s on connection %d, want PONG on a second one", got, made.Load())
	}
}

func TestCallThatArrivedIsNotMadeAgain(t *testing.T) {
	var calls atomic.Int64
	s, _ := counting(t, func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 2 {
			conn, out, _ := w.(http.Hijacker).Hijack()
			_, _ = out.WriteString("HTTP/1.1 200 OK\r\nContent-Le") // and dies
			_ = out.Flush()
			_ = conn.Close()
			return
		}
		pongs(w, r)
	})
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	for k, want := range []string{"PONG", "E009", "PONG"} {
		if got := outcome(n.Call(t.Context(), rpc.Peer{Endpoint: s.URL}, ping())); got != want {
			t.Errorf("call %d: got %s, want %s", k+1, got, want)
		}
	}
	if calls.Load() != 3 {
		t.Errorf("the server was called %d times, want 3", calls.Load())
	}
}

// answeringWith answers every connection with a text, whatever the request is.
func answeringWith(t *testing.T, text string) rpc.Peer {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if readRequest(bufio.NewReader(conn)) == nil {
					_, _ = io.WriteString(conn, text)
				}
			}()
		}
	}()
	return rpc.Peer{Endpoint: "http://" + l.Addr().String() + "/mcp"}
}

func TestOddAnswersOverTheWire(t *testing.T) {
	plain := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(pongBody), pongBody)
	for _, c := range []struct{ name, text, want string }{
		{"interim answers first", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + plain,
			"PONG"},
		{"interim answers without end", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 50), "E009"},
		{"until the connection closes", "HTTP/1.0 200 OK\r\n\r\n" + pongBody, "PONG"},
		{"a header without end", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20), "E009"},
		{"shorter than it says", "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + pongBody, "E009"},
		{"not HTTP", "SSH-2.0-OpenSSH\r\n", "E009"},
		{"nothing", "", "E009"},
	} {
		n := rpc.NewNode("referee:REF01", rpc.Options{})
		if got := outcome(n.Call(t.Context(), answeringWith(t, c.text), ping())); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestHealthStandsBesideTheEndpoint(t *testing.T) {
	asked := make(chan string, 1)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.Path }))
	defer s.Close()
	n := rpc.NewNode("league_manager", rpc.Options{})
	for endpoint, want := range map[string]string{
		"/mcp": "/health", "/p/P0001/mcp": "/p/P0001/health", "/api/agent": "/health", "": "/health",
	} {
		if err := n.Alive(t.Context(), s.URL+endpoint); err != nil {
			t.Fatal(err)
		}
		if got := <-asked; got != want {
			t.Errorf("%q: asked %s, want %s", endpoint, got, want)
		}
	}
}

func BenchmarkCallForeign(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(pongs))
	defer s.Close()
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	for b.Loop() {
		if _, err := n.Call(b.Context(), rpc.Peer{Endpoint: s.URL + "/mcp"}, ping()); err != nil {
			b.Fatal(err)
		}
	}
}
