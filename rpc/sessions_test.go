package rpc_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/rpc"
)

const greeting = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

// say sends a request to a node without a network.
func say(n *rpc.Node, session, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	w := httptest.NewRecorder()
	n.ServeHTTP(w, r)
	return w
}

// greet opens a session.
func greet(n *rpc.Node) (session string, status int) {
	w := say(n, "", greeting)
	return w.Header().Get("Mcp-Session-Id"), w.Code
}

// TestLongTenThousandGreetingsCostNothing opens sessions and never closes one.
func TestLongTenThousandGreetingsCostNothing(t *testing.T) {
	n := newPlayer(rpc.Options{Limits: rpc.Limits{Open: -1}})
	kept, _ := greet(n)
	var full uint64
	for i := range 10_000 {
		if session, status := greet(n); status != http.StatusOK || session == "" {
			t.Fatalf("greeting %d: status %d", i, status)
		}
		if i%100 == 0 {
			if w := say(n, kept, `{"jsonrpc":"2.0","id":2,"method":"ping"}`); w.Code != http.StatusOK {
				t.Fatalf("after %d greetings a session in use is gone: %d", i, w.Code)
			}
		}
		if i == 2_000 {
			full = heap()
		}
	}
	if got := n.Sessions(); got > rpc.MaxSessions || got < rpc.MaxSessions/2 {
		t.Errorf("there are %d sessions, want up to %d", got, rpc.MaxSessions)
	}
	open := 0
	for range n.MCP().Sessions() {
		open++
	}
	if open > rpc.MaxSessions+10 {
		t.Errorf("the SDK holds %d sessions", open)
	}
	now := heap()
	t.Logf("heap after 2,000 greetings %d KiB, after 10,000 %d KiB", full>>10, now>>10)
	if now > full+full/4+(4<<20) {
		t.Errorf("memory grew from %d to %d KiB", full>>10, now>>10)
	}
}

// heap returns the live heap after a collection.
func heap() uint64 {
	for range 3 { // until background goroutines have ended
		runtime.GC()
		time.Sleep(20 * time.Millisecond)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// An address that opens too many sessions receives a retry-after.
func TestGreetingsAreCountedByAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in a bubble where no time passes
		n := newPlayer(rpc.Options{Limits: rpc.Limits{Open: 10}})
		refused := 0
		for range 100 {
			if w := say(n, "", greeting); w.Code == http.StatusTooManyRequests {
				refused++
				if w.Header().Get("Retry-After") == "" {
					t.Error("it does not say when to come again")
				}
			}
		}
		if refused < 70 {
			t.Errorf("%d of 100 were refused", refused)
		}
		time.Sleep(2 * rpc.QuietFor) // until the sessions of the others are over
	})
}

func TestQuietSessionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newPlayer(rpc.Options{})
		quiet, _ := greet(n)
		busy, _ := greet(n)
		ping := func(session string) int { return say(n, session, `{"jsonrpc":"2.0","id":2,"method":"ping"}`).Code }
		for range 8 {
			time.Sleep(rpc.QuietFor / 4)
			if code := ping(busy); code != http.StatusOK {
				t.Errorf("a session in use: got %d", code)
			}
		}
		synctest.Wait()
		if code := ping(quiet); code != http.StatusNotFound {
			t.Errorf("a quiet session: got %d, want 404", code)
		}
		if got := n.Sessions(); got != 1 {
			t.Errorf("there are %d sessions, want 1", got)
		}
		time.Sleep(2 * rpc.QuietFor) // and then nothing is left that would wake up again
		if got := n.Sessions(); got != 0 {
			t.Errorf("there are %d sessions, want none", got)
		}
	})
}

func TestDeletedSessionIsForgotten(t *testing.T) {
	n := newPlayer(rpc.Options{})
	session, _ := greet(n)
	r := httptest.NewRequest("DELETE", "/mcp", nil)
	r.Header.Set("Mcp-Session-Id", session)
	w := httptest.NewRecorder()
	n.ServeHTTP(w, r)
	if w.Code != http.StatusNoContent || n.Sessions() != 0 {
		t.Errorf("got %d, and %d sessions are left", w.Code, n.Sessions())
	}
}

// A session may subscribe to so much and no more.
func TestSubscriptionsAreBounded(t *testing.T) {
	n := newPlayer(rpc.Options{Limits: rpc.Limits{Open: -1}})
	session, _ := greet(n)
	say(n, session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	var last string
	for i := range rpc.MaxSubscriptions + 1 {
		last = say(n, session,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/subscribe","params":{"uri":"x://%d"}}`, i+2,
				i)).Body.String()
		if refused := strings.Contains(last, `"error"`); refused != (i == rpc.MaxSubscriptions) {
			t.Fatalf("subscription %d: %s", i, last)
		}
	}
	if !strings.Contains(last, "at most 1024 subscriptions") {
		t.Errorf("got %s", last)
	}
}

// Bodies that are too large are refused before they are decoded, on both sides.
func TestLargeBodiesAreRefusedOnBothFaces(t *testing.T) {
	n := newPlayer(rpc.Options{MaxBody: 1000})
	session, _ := greet(n)
	large := strings.Repeat(" ", 2000)
	for _, s := range []string{"", session} {
		if w := say(n, s, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+
			large); w.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("session %q: got %d", s, w.Code)
		}
	}
	url := served(t, n)
	// without a Content-Length
	resp, err := http.Post(url, "application/json",
		io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), strings.NewReader(large)))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("without a length: got %d", resp.StatusCode)
	}
}
