package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A peer is a server whose connections a test controls.
type peer struct {
	*Target
	calls atomic.Int64 // connections that were made
}

// newPeer serves each connection with serve, which gets its number; it is closed when serve returns.
func newPeer(t *testing.T, serve func(k int64, c *net.TCPConn, in *bufio.Reader)) *peer {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{Target: NewTarget(&url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/mcp"})}
	var open sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	open.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, conn)
			mu.Unlock()
			k := p.calls.Add(1)
			open.Go(func() {
				defer conn.Close()
				serve(k, conn.(*net.TCPConn), bufio.NewReader(conn))
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for _, c := range conns {
			_ = c.Close()
		}
		mu.Unlock()
		open.Wait()
	})
	return p
}

// request reads one request and returns its body.
func request(in *bufio.Reader) ([]byte, error) {
	r, err := http.ReadRequest(in)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r.Body)
}

// echo answers every request with its body.
func echo(_ int64, c *net.TCPConn, in *bufio.Reader) {
	for {
		body, err := request(in)
		if err != nil {
			return
		}
		_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	}
}

func newPool() *Pool {
	var d net.Dialer
	none := func(net.Conn) {}
	return &Pool{Kept: none, Taken: none, Dial: func(ctx context.Context, address string) (net.Conn, error) {
		return d.DialContext(ctx, "tcp", address)
	}}
}

// told makes a call and returns the answer.
func told(t *testing.T, p *Pool, to *peer, body string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	_, answer, err := p.Post(ctx, to.Target, []byte(body), 1<<20)
	return string(answer), err
}

func TestManyCallsAtOnceEachGetTheirOwnAnswer(t *testing.T) {
	to, p := newPeer(t, echo), newPool()
	var calls sync.WaitGroup
	for k := range 8 {
		calls.Go(func() {
			for i := range 200 {
				want := strings.Repeat(fmt.Sprintf("%d.%d ", k, i), 1+i*i%700)
				if got, err := told(t, p, to, want); got != want || err != nil {
					t.Errorf("got %.40q, %v, want %.40q", got, err, want)
					return
				}
			}
		})
	}
	calls.Wait()
	if n := to.calls.Load(); n > 8 {
		t.Errorf("%d connections for 8 callers", n)
	}
}

// Every answer is the same over a socket as the standard library reads it, in one piece and a byte at a time, on a new
// connection and on a used one.
func TestAnswersAreReadAsTheStandardLibraryReadsThem(t *testing.T) {
	for _, text := range answers {
		want := heard(t, []byte(text), 0, func(c net.Conn) (int, []byte, bool, error) { return general(c, nil, nil, 1<<20) })
		for _, piece := range []int{1, 1 << 20} {
			if len(text) > 1000 && piece == 1 {
				continue
			}
			to := newPeer(t, func(_ int64, c *net.TCPConn, in *bufio.Reader) {
				if _, err := request(in); err != nil {
					return
				}
				_, _ = io.WriteString(c, ours)
				if _, err := request(in); err != nil {
					return
				}
				for rest := []byte(text); len(rest) > 0; rest = rest[min(piece, len(rest)):] {
					_, _ = c.Write(rest[:min(piece, len(rest))])
				}
				_ = c.CloseWrite()
				_, _ = io.Copy(io.Discard, c)
			})
			conn, err := net.Dial("tcp", to.address)
			if err != nil {
				t.Fatal(err)
			}
			w := newWire(conn)
			if _, _, again, err := w.exchange(to.Target, nil, 1<<20); err != nil || !again {
				t.Fatalf("the first answer: again %v, %v", again, err)
			}
			w.used = time.Now()
			var got outcome
			got.status, got.body, got.again, got.err = w.exchange(to.Target, []byte("{}"), 1<<20)
			got.again = got.again && piece > 1 // what follows the answer may not have come yet
			got.same(t, want, []byte(text))
			_ = conn.Close()
		}
	}
}

func TestCallOnAConnectionThatThePeerHasClosedIsMadeOnANewOne(t *testing.T) {
	for name, hangUp := range map[string]func(*net.TCPConn){
		"closed": func(*net.TCPConn) {},
		"reset":  func(c *net.TCPConn) { _ = c.SetLinger(0) },
	} {
		for _, idle := range []time.Duration{0, 2 * time.Second} {
			gone := make(chan struct{})
			to := newPeer(t, func(k int64, c *net.TCPConn, in *bufio.Reader) {
				if k > 1 {
					echo(k, c, in)
					return
				}
				_, _ = request(in)
				_, _ = io.WriteString(c, ours)
				hangUp(c)
				_ = c.Close()
				close(gone)
			})
			p := newPool()
			if _, err := told(t, p, to, "one"); err != nil {
				t.Fatal(err)
			}
			<-gone
			p.idle[to.address][0].used = time.Now().Add(-idle)
			if got, err := told(t, p, to, "two"); got != "two" || err != nil || to.calls.Load() != 2 {
				t.Errorf("%s for %v: got %q, %v on connection %d, want two on the second", name, idle, got, err, to.calls.Load())
			}
		}
	}
}

// A peer may refuse a request before it has read all of it, and its answer is returned.
func TestAnswerBeforeTheRequestIsWholeIsHeard(t *testing.T) {
	const refusal = "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno!"
	to := newPeer(t, func(_ int64, c *net.TCPConn, in *bufio.Reader) {
		_, _ = request(in)
		_, _ = io.WriteString(c, ours)
		_, _ = in.Peek(10)
		_, _ = io.WriteString(c, refusal)
		_ = c.CloseWrite()
		_, _ = io.Copy(io.Discard, c)
	})
	p := newPool()
	for k, want := range []string{"{}", "no!"} {
		if got, err := told(t, p, to, strings.Repeat("x", k*8<<20)); got != want || err != nil {
			t.Errorf("call %d: got %q, %v, want %q", k+1, got, err, want)
		}
	}
}

// A request larger than the socket's buffers arrives, and so does an answer of that size.
func TestLargeRequestsArriveWhole(t *testing.T) {
	to, p := newPeer(t, echo), newPool()
	for _, n := range []int{10, 5 << 20, 10} {
		body := bytes.Repeat([]byte("0123456789abcdef"), n/16+1)
		_, got, err := p.Post(t.Context(), to.Target, body, 1<<30)
		if err != nil || !bytes.Equal(got, body) {
			t.Errorf("%d bytes: got %d back, %v", len(body), len(got), err)
		}
	}
	if n := to.calls.Load(); n != 1 {
		t.Errorf("%d connections for calls one after the other", n)
	}
}

func TestDeadlineAndCancellationEndACallAtOnce(t *testing.T) {
	for _, used := range []bool{false, true} {
		asked := make(chan struct{}, 9)
		to := newPeer(t, func(k int64, c *net.TCPConn, in *bufio.Reader) {
			for {
				body, err := request(in)
				if err != nil {
					return
				}
				if string(body) == "silence" {
					asked <- struct{}{}
					continue
				}
				_, _ = io.WriteString(c, ours)
			}
		})
		p := newPool()
		ends := map[error]func() (context.Context, context.CancelFunc){
			context.DeadlineExceeded: func() (context.Context, context.CancelFunc) {
				return context.WithTimeout(t.Context(), 50*time.Millisecond)
			},
			context.Canceled: func() (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(t.Context())
				go func() { <-asked; cancel() }()
				return ctx, cancel
			},
		}
		for want, end := range ends {
			if used {
				if _, err := told(t, p, to, "hello"); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := end()
			began := time.Now()
			_, _, err := p.Post(ctx, to.Target, []byte("silence"), 1<<20)
			cancel()
			if !errors.Is(err, want) || time.Since(began) > time.Minute {
				t.Errorf("used %v: got %v after %v, want %v", used, err, time.Since(began), want)
			}
			if n := len(p.idle[to.address]); n != 0 {
				t.Errorf("used %v: %d connections are kept after %v, want none", used, n, want)
			}
		}
	}
}

// A wire that waits for its next call holds no buffers.
func TestWireGivesItsBuffersBackAfterACall(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan struct{})
	to := newPeer(t, func(_ int64, c *net.TCPConn, in *bufio.Reader) {
		for {
			if _, err := request(in); err != nil {
				return
			}
			asked <- struct{}{}
			<-answer
			_, _ = io.WriteString(c, ours)
		}
	})
	conn, err := net.Dial("tcp", to.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	w := newWire(conn)
	for range 2 { // new, and trusted
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _, _, err = w.exchange(to.Target, []byte("{}"), 1<<20)
		}()
		<-asked
		answer <- struct{}{}
		<-ended
		if err != nil || w.out != nil || w.in.start != nil || w.in.body != nil {
			t.Errorf("after an exchange: %v; the request, the head or the body is still held", err)
		}
		w.used = time.Now()
	}
}

// All calls under a context that is watched end with it, and only those.
func TestWatchedContextEndsItsCallsAtOnce(t *testing.T) {
	asked, answer := make(chan struct{}, 9), make(chan struct{})
	to := newPeer(t, func(_ int64, c *net.TCPConn, in *bufio.Reader) {
		for {
			body, err := request(in)
			if err != nil {
				return
			}
			asked <- struct{}{}
			if string(body) != "silence" {
				<-answer
				_, _ = io.WriteString(c, ours)
			}
		}
	})
	p := newPool()
	base, end := context.WithCancel(t.Context())
	defer end()
	p.Watch(base)
	p.Watch(base)
	if len(p.watches) != 1 {
		t.Fatalf("%d watches over one context", len(p.watches))
	}
	ends := make(chan error)
	for k := range 4 {
		ctx, body := base, "silence"
		if k == 3 {
			ctx, body = t.Context(), "an answer"
		}
		go func() {
			_, _, err := p.Post(ctx, to.Target, []byte(body), 1<<20)
			ends <- err
		}()
		<-asked
	}
	end()
	for range 3 {
		if err := <-ends; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	}
	close(answer)
	if err := <-ends; err != nil {
		t.Errorf("a call under another context: %v", err)
	}
	if _, _, err := p.Post(base, to.Target, []byte("silence"), 1<<20); !errors.Is(err, context.Canceled) {
		t.Errorf("a call after the end: got %v, want %v", err, context.Canceled)
	}
}
