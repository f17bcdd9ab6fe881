package mailbox

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"agentleague/protocol"
)

func TestLettersGoBothWays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Limits{}, nil)
		l := w.link(t, key(1), echo)
		if got, err := w.post(l, time.Second, `{"<&>":"é"}`); got != `echo {"<&>":"é"}` || err != nil {
			t.Errorf("the agent answered %q, %v", got, err)
		}
		a, err := l.Send(t.Context(), []byte("hello"))
		if string(a.Body) != "got hello" || err != nil || w.got[0] != l.ID()+" hello" {
			t.Errorf("the manager answered %q, %v; it received %q", a.Body, err, w.got)
		}
		if s := w.office.State(l.Endpoint()); s.Way != byWebSocket || !s.On {
			t.Errorf("the state is %+v", s)
		}
	})
}

func TestUnreachableAgentIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Limits{}, nil)
		l := w.link(t, key(1), func(context.Context, []byte) Answer { return Answer{Error: "connection refused"} })
		if _, err := w.post(l, time.Second, "x"); err == nil || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("got %v", err)
		}
	})
}

// Each letter must reach the agent once, though the path is silent or cut while the agent answers.
func TestLetterIsDeliveredOnceThroughSilentBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Limits{}, func(string) bool { return true })
		var delivered atomic.Int32
		l := w.link(t, key(1), func(ctx context.Context, body []byte) Answer {
			delivered.Add(1)
			time.Sleep(3 * time.Second)
			return echo(ctx, body)
		})
		const breaks = 20
		for i := range breaks {
			time.AfterFunc(time.Second, func() {
				if c := w.newest(); i%2 == 0 {
					c.silent.Store(true)
				} else {
					_ = c.Close()
				}
			})
			text := fmt.Sprint("letter ", i)
			if got, err := w.post(l, 40*time.Second, text); got != "echo "+text || err != nil {
				t.Fatalf("%d: got %q, %v", i, got, err)
			}
		}
		if delivered.Load() != breaks {
			t.Errorf("the agent received %d letters for %d", delivered.Load(), breaks)
		}
	})
}

func TestSilentPathIsNoticedWithinEightSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Limits{}, func(string) bool { return true })
		l := w.link(t, key(1), echo)
		time.Sleep(10 * time.Second)
		w.newest().silent.Store(true)
		start := time.Now()
		if _, err := w.post(l, time.Minute, "x"); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > 8*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestMessagesToTheManagerSurviveABreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Limits{}, nil)
		receive := w.site.Receive
		w.site.Receive = func(ctx context.Context, id string, body []byte) Answer {
			time.Sleep(time.Second)
			return receive(ctx, id, body)
		}
		l := w.link(t, key(1), echo)
		time.AfterFunc(time.Second/2, func() { _ = w.newest().Close() })
		if a, err := l.Send(t.Context(), []byte("report")); string(a.Body) != "got report" || err != nil {
			t.Errorf("got %q, %v", a.Body, err)
		}
	})
}

func TestNewerConnectionEndsTheOlder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Limits{}, nil)
		second := make(chan string, 8)
		w.site.Second = func(id, at string) { second <- id + " " + at }
		older := w.link(t, key(1), echo)
		_ = w.newest().Close()
		time.Sleep(time.Second) // it is connected again, which is no second program
		newer := w.link(t, key(1), func(context.Context, []byte) Answer { return Answer{Body: []byte("newer")} })
		<-older.Done()
		if older.Err() != ErrReplaced {
			t.Errorf("the older link ended with %v", older.Err())
		}
		if got, want := <-second, older.ID()+" 192.0.2.1"; got != want || len(second) > 0 {
			t.Errorf("the organizer was told of %q and %d others, want %q", got, len(second), want)
		}
		if got, err := w.post(newer, time.Second, "x"); got != "newer" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

// If the agent's end restarts, the caller decides whether to repeat the message, as after a closed connection.
func TestRestartOfTheAgentsEndFailsItsLetters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Limits{}, nil)
		first := w.link(t, key(1), func(ctx context.Context, _ []byte) Answer { <-ctx.Done(); return Answer{} })
		time.AfterFunc(time.Second, func() {
			first.Close()
			w.link(t, key(1), echo)
		})
		if _, err := w.post(first, time.Minute, "x"); err != errRestarted {
			t.Errorf("got %v", err)
		}
		if got, err := w.post(first, time.Minute, "y"); got != "echo y" || err != nil {
			t.Errorf("the next letter: %q, %v", got, err)
		}
	})
}

func TestLinkOutlivesTheManager(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Limits{}, func(string) bool { return true })
		l := w.link(t, key(1), echo)
		w.office = NewOffice(Limits{}, func(string) bool { return true }) // a restarted manager has no mailboxes
		_ = w.newest().Close()
		if got, err := w.post(l, 10*time.Second, "x"); got != "echo x" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestLinkDialsTheOtherManagersOfACluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Limits{}, func(string) bool { return true })
		w.site.Others = []string{"https://localhost:8001", "http://localhost:8001/mcp", "not an address"}
		l := w.link(t, key(1), echo)
		if want := []string{managerAt, "http://localhost:8001/mcp"}; !slices.Equal(l.managers, want) {
			t.Errorf("the link knows %q, want %q", l.managers, want)
		}
		w.site.Manager = "http://localhost:8001/mcp" // the manager that was dialled is gone, and the other one answers
		_ = w.newest().Close()
		if got, err := w.post(l, 10*time.Second, "x"); got != "echo x" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestLinkRefusesAnotherManager(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Limits{}, nil)
		w.site.Manager = "http://localhost:9000/mcp" // an impostor passes on the greeting of another manager
		_, err := Dial(t.Context(), Config{Manager: managerAt, Key: key(1), Client: w.client, Deliver: echo})
		if !isRefusal(err, 403) {
			t.Errorf("got %v", err)
		}
	})
}

func TestReplayedHandshakeIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Limits{}, nil)
		var captured frame
		for i := range 2 {
			conn, _, err := websocket.Dial(t.Context(), "http://localhost:8000/mailboxes/connect", &websocket.DialOptions{HTTPClient: w.client})
			if err != nil {
				t.Fatal(err)
			}
			s := newSocket(conn, 1<<20, nil)
			hello, err := s.step(t.Context(), frameHello)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				h := handshake{Manager: hello.Manager, Seal: hello.Seal, ID: OfKey(ed25519.PublicKey(key(1)[32:])), ManagerNonce: hello.Nonce, AgentNonce: nonce()}
				captured = frame{Type: frameOpen, Key: protocol.PublicKey(key(1)), Nonce: h.AgentNonce, Instance: "1",
					Signature: protocol.Sign(key(1), h.Text())}
			}
			if err := s.write(t.Context(), captured); err != nil {
				t.Fatal(err)
			}
			_, err = s.step(t.Context(), frameReady)
			if replayed := i == 1; isRefusal(asRefusal(err), 403) != replayed {
				t.Errorf("replayed %v: got %v", replayed, err)
			}
			_ = conn.CloseNow()
		}
	})
}
