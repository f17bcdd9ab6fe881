package relay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agentleague/rpc/rpctest"
)

// owner is the manager of a league, and returns its address.
func owner(t *testing.T, key string, answer http.HandlerFunc) string {
	t.Helper()
	r := New([]byte(key), nil)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		req, via, passed := r.Accept(req)
		w.Header().Set("Passed", fmt.Sprint(passed, " ", via))
		answer(w, req)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// ask sends a request to a manager that passes it on, and returns the answer and why it could not.
func ask(t *testing.T, address string, change func(*http.Request)) (*httptest.ResponseRecorder, error) {
	t.Helper()
	req := httptest.NewRequest(http.MethodPost, "/leagues/a/mcp?x=%2F", strings.NewReader("the body"))
	req.RemoteAddr, req.Host = "192.0.2.7:4711", "league.example.org"
	if change != nil {
		change(req)
	}
	w := httptest.NewRecorder()
	return w, New([]byte("key"), nil).Pass(w, req, []byte("the body"), "http://a:8000", address)
}

func TestARequestIsPassedOnAsItCame(t *testing.T) {
	at := owner(t, "key", func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		fmt.Fprintf(w, "%s %s from %s to %s, for %s: %s; relay %q", req.Method, req.URL.RequestURI(), req.RemoteAddr, req.Host,
			req.Header.Get("X-Forwarded-For"), body, req.Header.Get(header))
	})
	w, err := ask(t, at, func(req *http.Request) { req.Header.Set("X-Forwarded-For", "198.51.100.1") })
	const want = `POST /leagues/a/mcp?x=%2F from 192.0.2.7:4711 to league.example.org, for 198.51.100.1: the body; relay ""`
	if err != nil || w.Body.String() != want || w.Header().Get("Passed") != "true http://a:8000" {
		t.Errorf("got %s and %v,\nwant %s", w.Body, err, want)
	}
}

func TestAStrangerCannotSpeakForAnother(t *testing.T) {
	at := owner(t, "another key", func(w http.ResponseWriter, req *http.Request) {
		fmt.Fprintf(w, "%s %q", req.RemoteAddr, req.Header.Get(header))
	})
	w, err := ask(t, at, nil)
	if err != nil || !strings.HasPrefix(w.Body.String(), "127.0.0.1:") || w.Header().Get("Passed") != "false" ||
		!strings.HasSuffix(w.Body.String(), `""`) {
		t.Errorf("got %s and %v", w.Body, err)
	}
}

func TestWhatNobodyHasSeenMayBeTriedElsewhere(t *testing.T) {
	w, err := ask(t, rpctest.Nowhere(), nil)
	if !errors.Is(err, ErrUnreached) || w.Body.Len() > 0 {
		t.Errorf("a manager that is gone: got %v and %s", err, w.Body)
	}
	w, err = ask(t, owner(t, "key", func(w http.ResponseWriter, _ *http.Request) { NotHere(w) }), nil)
	if !errors.Is(err, ErrNotHere) || w.Body.Len() > 0 {
		t.Errorf("one that has not got the league: got %v and %s", err, w.Body)
	}
	w, err = ask(t, "nowhere", nil)
	if !errors.Is(err, ErrUnreached) || w.Body.Len() > 0 {
		t.Errorf("one without an address: got %v and %s", err, w.Body)
	}
}

func TestWhatMayHaveBeenSeenIsAnsweredAndNotTriedAgain(t *testing.T) {
	at := owner(t, "key", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	w, err := ask(t, at, nil)
	if err != nil || w.Code != http.StatusBadGateway {
		t.Errorf("got %d and %v", w.Code, err)
	}
	w, err = ask(t, at, func(req *http.Request) { req.Method, req.Body = http.MethodGet, nil })
	if !errors.Is(err, ErrUnreached) || w.Body.Len() > 0 {
		t.Errorf("a question, which may be asked twice: got %v and %s", err, w.Body)
	}
}

// A suspended manager keeps the connection. The caller is answered when the cluster has removed the manager.
func TestARequestToAManagerThatHasLeftIsAnswered(t *testing.T) {
	t.Parallel()
	arrived, end := make(chan context.CancelCauseFunc, 1), make(chan struct{})
	at := owner(t, "key", func(_ http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body) // the server notices a closed connection only after that
		(<-arrived)(ErrGone)
		<-end
	})
	defer close(end)
	leaves := func(method string) func(req *http.Request) {
		return func(req *http.Request) {
			ctx, cancel := context.WithCancelCause(t.Context())
			arrived <- cancel
			*req = *req.WithContext(ctx)
			req.Method = method
		}
	}
	if w, err := ask(t, at, leaves(http.MethodPost)); err != nil || w.Code != http.StatusBadGateway {
		t.Errorf("an order: got %d and %v, want 502", w.Code, err)
	}
	if w, err := ask(t, at, leaves(http.MethodGet)); !errors.Is(err, ErrUnreached) || w.Body.Len() > 0 {
		t.Errorf("a question: got %v and %s, want that it may be tried elsewhere", err, w.Body)
	}
}

func TestEventsArePassedOnAsTheyCome(t *testing.T) {
	next := make(chan struct{})
	at := owner(t, "key", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for n := range 2 {
			fmt.Fprintf(w, "data: %d\n", n)
			_ = http.NewResponseController(w).Flush()
			<-next
		}
	})
	r := New([]byte("key"), nil)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { _ = r.Pass(w, req, nil, "", at) }))
	defer front.Close()
	resp, err := http.Get(front.URL + "/leagues/a/events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for n := range 2 { // the second is written after the first was read
		if !lines.Scan() || lines.Text() != fmt.Sprintf("data: %d", n) {
			t.Fatalf("event %d: got %q", n, lines.Text())
		}
		next <- struct{}{}
	}
}
