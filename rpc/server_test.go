package rpc_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

const pingBody = `{"jsonrpc":"2.0","method":"ping","id":1}`

func TestHTTPFace(t *testing.T) {
	figures := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "figures 1\n") })
	n := newPlayer(rpc.Options{MaxBody: 200, Metrics: figures})
	for _, c := range []struct {
		method, path, body string
		status             int
		contentType, want  string
		allow              string
	}{
		{"POST", "/mcp", pingBody, 200, "application/json", `"result"`, ""},
		{"POST", "/MCP", pingBody, 200, "application/json", `"result"`, ""},
		{"POST", "/mcp/", pingBody, 200, "application/json", `"result"`, ""},
		{"POST", "/mcp", `{`, 200, "application/json", `-32700`, ""},
		{"POST", "/mcp", `{"jsonrpc":"2.0","method":"ping"}`, 202, "", "", ""},
		{"POST", "/mcp", `"` + strings.Repeat("x", 197) + `"`, 200, "application/json", `-32600`, ""},
		{"POST", "/mcp", `"` + strings.Repeat("x", 200) + `"`, 413, "text/plain; charset=utf-8", "at most 200 bytes", ""},
		{"GET", "/health", "", 200, "application/json", `{"agent":"player:P01","status":"healthy"}`, ""},
		{"HEAD", "/health", "", 200, "application/json", "", ""},
		{"POST", "/health", "", 405, "text/plain; charset=utf-8", "health", "GET, HEAD"},
		{"GET", "/metrics", "", 200, "text/plain; charset=utf-8", "figures 1", ""},
		{"HEAD", "/metrics", "", 200, "text/plain; charset=utf-8", "", ""},
		{"POST", "/metrics", "", 405, "text/plain; charset=utf-8", "metrics", "GET, HEAD"},
		{"GET", "/mcp", "", 405, "text/plain; charset=utf-8", "POST", "POST"},
		{"PUT", "/mcp", pingBody, 405, "text/plain; charset=utf-8", "POST", "POST"},
		{"DELETE", "/mcp", "", 405, "text/plain; charset=utf-8", "POST", "POST"},
		{"GET", "/", "", 404, "text/plain; charset=utf-8", "", ""},
		{"POST", "/mcp/", pingBody, 200, "application/json", "PONG", ""},
		{"POST", "/", pingBody, 200, "application/json", "PONG", ""},
		{"POST", "/ping", "{}", 200, "application/json", "PONG", ""},
		{"POST", "/register", pingBody, 404, "text/plain; charset=utf-8", "", ""},
	} {
		t.Run(c.method+" "+c.path, func(t *testing.T) {
			server := httptest.NewServer(n)
			defer server.Close()
			req, err := http.NewRequest(c.method, server.URL+c.path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := server.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != c.status || resp.Header.Get("Content-Type") != c.contentType ||
				!strings.Contains(string(body), c.want) {
				t.Errorf("got %d %s %q, want %d %s %q", resp.StatusCode, resp.Header.Get("Content-Type"), body, c.status,
					c.contentType, c.want)
			}
			if got := resp.Header.Get("Allow"); got != c.allow {
				t.Errorf("Allow: got %q, want %q", got, c.allow)
			}
			if c.status == 202 && len(body) > 0 {
				t.Errorf("a notification is answered with %q", body)
			}
		})
	}
}

func TestNodeWithoutMetricsHasNoSuchPage(t *testing.T) {
	w := httptest.NewRecorder()
	newPlayer(rpc.Options{}).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != http.StatusNotFound {
		t.Errorf("got %d, want 404", w.Code)
	}
}

func TestBodyThatBreaksOffIsABadRequest(t *testing.T) {
	w := httptest.NewRecorder()
	newPlayer(rpc.Options{}).ServeHTTP(w, httptest.NewRequest("POST", "/mcp", iotest.ErrReader(errors.New("broken"))))
	if w.Code != http.StatusBadRequest {
		t.Errorf("got %d, want 400", w.Code)
	}
}

func TestHandlerLearnsTheAddressWithoutThePort(t *testing.T) {
	var from rpc.From
	n := rpc.NewNode("player:P01", rpc.Options{})
	n.Handle(protocol.TypeGameInvitation, func(ctx context.Context, f rpc.From, m protocol.Message) (
		protocol.Message, error) {
		from = f
		return joins(ctx, f, m)
	})
	for remote, want := range map[string]string{"192.0.2.7:1234": "192.0.2.7", "[2001:db8::7]:1234": "2001:db8::7"} {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"message_type":"GAME_INVITATION","match_id":"R1M1"}`))
		r.RemoteAddr = remote
		n.ServeHTTP(httptest.NewRecorder(), r)
		if from.Addr != want {
			t.Errorf("%s: got %q, want %q", remote, from.Addr, want)
		}
	}
}

// serve runs a server until the test ends, and fails the test if it ends badly.
func serve(t *testing.T, s *rpc.Server) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, newPlayer(rpc.Options{})) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

func TestListensOnBothFamiliesWithOnePort(t *testing.T) {
	s, err := rpc.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	serve(t, s)
	if want := fmt.Sprintf("http://localhost:%d/mcp", s.Port()); s.URL() != want || s.Port() == 0 {
		t.Errorf("URL: got %s, want %s", s.URL(), want)
	}
	hosts := []string{"127.0.0.1", "localhost"}
	if hasIPv6() {
		hosts = append(hosts, "[::1]")
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, host := range hosts {
		resp, err := client.Get(fmt.Sprintf("http://%s:%d/health", host, s.Port()))
		if err != nil {
			t.Error(err)
			continue
		}
		_ = resp.Body.Close()
	}
}

func hasIPv6() bool {
	l, err := net.Listen("tcp6", "[::1]:0")
	if err == nil {
		_ = l.Close()
	}
	return err == nil
}

func TestOccupiedPortIsAnError(t *testing.T) {
	hosts := []string{"127.0.0.1"}
	if hasIPv6() {
		hosts = append(hosts, "::1")
	}
	for _, host := range hosts {
		port := rpctest.Port()
		taken, err := net.Listen("tcp", net.JoinHostPort(host, fmt.Sprint(port)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rpc.Listen(port); err == nil {
			t.Errorf("port %d is taken at %s: want an error", port, host)
		}
		_ = taken.Close()
		s, err := rpc.Listen(port)
		if err != nil {
			t.Errorf("port %d is free again: %v", port, err)
			continue
		}
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
}

func TestServeClosesEveryListenerWhenOneFails(t *testing.T) {
	broken, whole := newPipe(), newPipe()
	_ = broken.Close()
	if err := rpc.NewServer([]net.Listener{whole, broken}).Serve(t.Context(), http.NotFoundHandler()); !errors.Is(err,
		net.ErrClosed) {
		t.Errorf("got %v, want the listener's error", err)
	}
	if _, err := whole.Accept(); err == nil {
		t.Error("the other listener is still open")
	}
}

// A pipe is a listener inside the process, so that a server can run in virtual time.
type pipe struct {
	conns  chan net.Conn
	closed chan struct{}
}

func newPipe() *pipe { return &pipe{make(chan net.Conn), make(chan struct{})} }

func (p *pipe) Accept() (net.Conn, error) {
	select {
	case <-p.closed:
		return nil, net.ErrClosed
	default:
	}
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipe) Close() error {
	select {
	case <-p.closed:
	default:
		close(p.closed)
	}
	return nil
}

func (p *pipe) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipe) dial() net.Conn {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	return ours
}

// servePipe serves h inside a bubble of virtual time. Ended receives the result of Serve after stop.
func servePipe(t *testing.T, h http.Handler) (p *pipe, stop func(), ended <-chan error) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	end := make(chan error, 1)
	p = newPipe()
	go func() { end <- rpc.NewServer([]net.Listener{p}).Serve(ctx, h) }()
	return p, stop, end
}

func TestSlowClientsAreCutOff(t *testing.T) {
	for _, c := range []struct {
		name, sends string
		after       time.Duration
	}{
		{"in the header", "POST /mcp HTTP/1.1\r\nHost: x\r\n", 5 * time.Second},
		{"before the header", "", 5 * time.Second},
		{"in the body", "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 40\r\n\r\n{", 15 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, stop, ended := servePipe(t, newPlayer(rpc.Options{}))
				defer func() { stop(); <-ended }()
				start, conn := time.Now(), p.dial()
				go func() { _, _ = io.WriteString(conn, c.sends) }()
				_, _ = io.Copy(io.Discard, conn)
				if got := time.Since(start); got < c.after || got > c.after+time.Second {
					t.Errorf("cut off after %v, want %v", got, c.after)
				}
			})
		})
	}
}

// post writes a ping and returns the status line of the answer.
func post(conn net.Conn) (status string, err error) {
	if _, err := fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(pingBody),
		pingBody); err != nil {
		return "", err
	}
	return bufio.NewReader(conn).ReadString('\n')
}

func TestServeWaitsForOpenRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, answered := make(chan struct{}), make(chan string, 1)
		p, stop, ended := servePipe(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
		go func() {
			status, err := post(p.dial())
			answered <- fmt.Sprint(strings.TrimSpace(status), err)
		}()
		synctest.Wait()
		stop()
		synctest.Wait()
		select {
		case <-ended:
			t.Error("Serve has returned while a request was open")
		default:
		}
		close(release)
		if got := <-answered; !strings.HasPrefix(got, "HTTP/1.1 200") {
			t.Errorf("got %q, want the answer", got)
		}
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

func TestServeCutsRequestsThatTakeTooLong(t *testing.T) {
	h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	synctest.Test(t, func(t *testing.T) {
		p, stop, ended := servePipe(t, h)
		go func() { _, _ = post(p.dial()) }()
		synctest.Wait()
		start := time.Now()
		stop()
		if err := <-ended; err != nil || time.Since(start) != 2*time.Second {
			t.Errorf("got %v after %v, want no error after 2s", err, time.Since(start))
		}
	})
}
