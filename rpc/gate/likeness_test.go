package gate

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// seen is the requests that reached a handler, in one form for both paths.
type seen struct {
	mu    sync.Mutex
	list  []string
	gated int
}

func (s *seen) note(method, path, host, token, body string, gated int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, fmt.Sprintf("%s %s of %s (%s) %d %.9s", method, path, host, token, len(body), body))
	s.gated += gated
}

func (s *seen) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "the request could not be read", http.StatusBadRequest)
		return
	}
	s.note(r.Method, r.URL.Path, r.Host, r.Header.Get("Authorization"), string(body), 0)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = fmt.Fprintf(w, "%d", len(body))
}

func (s *seen) ServePost(_ context.Context, r *Post) ([]byte, bool) {
	s.note("POST", string(r.Path), r.Host, string(r.Authorization), string(r.Body), 1)
	return fmt.Appendf(nil, "%d", len(r.Body)), true
}

// take returns the requests seen so far, and resets the list.
func (s *seen) take() (list []string, gated int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list, gated = s.list, s.gated
	s.list, s.gated = nil, 0
	return list, gated
}

// plainServer is net/http alone, with the limits that both have.
func plainServer(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second,
		WriteTimeout: 60 * time.Second, IdleTimeout: 120 * time.Second, MaxHeaderBytes: 16 << 10}
}

// both starts a gated server and one without, and returns their addresses.
func both(t *testing.T, gated, alone *seen) (addrs [2]string) {
	addrs[0] = open(t, &Gate{Handler: gated, HTTP: plainServer(gated)})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := plainServer(alone)
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	addrs[1] = l.Addr().String()
	return addrs
}

// open serves a gate until the test ends and returns its address.
func open(t testing.TB, g *Gate) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g.Base, g.Poison = context.Background(), true
	ended := make(chan error, 1)
	go func() { ended <- g.Serve(l) }()
	t.Cleanup(func() {
		g.Close()
		_ = g.HTTP.Close()
		<-ended
	})
	return l.Addr().String()
}

// said sends the parts of a conversation, ends it, and returns the answers with the headers that matter to a client.
func said(t *testing.T, addr string, parts ...string) (answers []string) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	go func() {
		for _, part := range parts {
			_, _ = io.WriteString(c, part)
		}
		_ = c.(*net.TCPConn).CloseWrite()
	}()
	in := bufio.NewReader(c)
	for {
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			return answers
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Header.Del("Date")
		answers = append(answers, fmt.Sprint(resp.StatusCode, resp.Header, resp.Close, resp.ContentLength, string(body)))
	}
}

func TestAClientCannotTellTheGateFromNetHTTP(t *testing.T) {
	gated, alone := &seen{}, &seen{}
	addrs := both(t, gated, alone)
	for _, c := range corpus {
		t.Run(c.name, func(t *testing.T) {
			got, want := said(t, addrs[0], c.sent), said(t, addrs[1], c.sent)
			if !slices.Equal(got, want) {
				t.Errorf("%.200q\nthe gate answers %q\nnet/http answers %q", c.sent, got, want)
			}
			list, plain := gated.take()
			only, _ := alone.take()
			if !slices.Equal(list, only) {
				t.Errorf("%.200q\nbehind the gate is %q\nbehind net/http  %q", c.sent, list, only)
			}
			if plain != c.plain {
				t.Errorf("the gate answers %d, want %d", plain, c.plain)
			}
		})
	}
}

// However a request is cut into pieces, and wherever it breaks off, both servers do the same with it.
func TestPiecesAndHangUpsAreSeenAlike(t *testing.T) {
	gated, alone := &seen{}, &seen{}
	addrs := both(t, gated, alone)
	whole := post("Authorization: Bearer t\r\n") + hidden
	check := func(parts ...string) {
		t.Helper()
		got, want := said(t, addrs[0], parts...), said(t, addrs[1], parts...)
		list, _ := gated.take()
		only, _ := alone.take()
		if !slices.Equal(got, want) || !slices.Equal(list, only) {
			t.Errorf("%q\nthe gate answers %q to %q\nnet/http answers %q to %q", parts, got, list, want, only)
		}
	}
	check(strings.Split(whole, "")...)
	for n := range len(whole) + 1 {
		check(whole[:n], whole[n:])
		check(whole[:n])
	}
}
