package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

func TestCallStampsItsMessage(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
		_, a := w.boot("A", rpc.Options{})
		_, b := w.boot("B", rpc.Options{})
		var got protocol.Envelope
		b.Handle(protocol.TypeGameInvitation, func(ctx context.Context, from rpc.From, m protocol.Message) (protocol.Message, error) {
			got = *m.Head()
			return joins(ctx, from, m)
		})
		peer := at("B")
		peer.Token = "tok_match_of_B"
		for shown, want := range map[string]string{"": "tok_match_of_B", "tok_own": "tok_own"} {
			m := invitation()
			m.Sender, m.Timestamp, m.AuthToken = "player:P99", "long ago", shown
			if _, err := a.Call(t.Context(), peer, m); err != nil {
				t.Fatal(err)
			}
			if got.Sender != "player:A" || got.Timestamp != "2000-01-01T00:00:00Z" || got.Protocol != protocol.Version ||
				got.AuthToken != want {
				t.Errorf("got %+v, want our sender, the time, the protocol and the token %s", got, want)
			}
		}
	})
}

func TestCallsHaveSmallIntegerIDs(t *testing.T) {
	var ids []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct{ ID json.RawMessage }
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || r.Header.Get("Content-Type") != "application/json" ||
			len(r.Header["Idempotency-Key"]) > 0 {
			t.Errorf("%v, header %v", err, r.Header)
		}
		ids = append(ids, string(req.ID))
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","result":{"message_type":"PONG"},"id":1}`)
	}))
	defer s.Close()
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	for range 3 {
		if _, err := n.Call(t.Context(), rpc.Peer{Endpoint: s.URL}, ping()); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"1", "2", "3"}; !slices.Equal(ids, want) {
		t.Errorf("got %q, want %q", ids, want)
	}
}

func TestCallTakesTheDeadlineOfItsContextOrOfTheProtocol(t *testing.T) {
	for _, c := range []struct {
		name    string
		message protocol.Message
		context time.Duration // 0: none
		want    time.Duration
	}{
		{"invitation", invitation(), 0, 5 * time.Second},
		{"ping", ping(), 0, 10 * time.Second},
		{"shorter", invitation(), time.Second, time.Second},
		{"longer", invitation(), time.Minute, time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, 1, rpctest.Faults{Loss: 1}, func(t *testing.T, w *world) {
				_, a := w.boot("A", rpc.Options{})
				ctx := t.Context()
				if c.context > 0 {
					ctx = within(t, c.context)
				}
				start := time.Now()
				_, err := a.Call(ctx, at("B"), c.message)
				if !protocol.Is(err, protocol.Timeout) || time.Since(start) != c.want {
					t.Errorf("got %v after %v, want a timeout after %v", err, time.Since(start), c.want)
				}
			})
		})
	}
}

func TestWhatIsNoRequestIsNotSent(t *testing.T) {
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	for _, m := range []protocol.Message{
		&protocol.Tool{Envelope: envelope("FLY")},
		&protocol.Pong{Envelope: envelope(protocol.TypePong)},
	} {
		if _, err := n.Call(t.Context(), at("nobody"), m); err == nil || !strings.Contains(err.Error(),
			string(m.Head().MessageType)) {
			t.Errorf("%s: got %v, want an error that names it", m.Head().MessageType, err)
		}
	}
}

func TestOddAnswerIsAnErrorUnlessItMayComeByCall(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
		_, a := w.boot("A", rpc.Options{})
		_, b := w.boot("B", rpc.Options{})
		b.Handle(protocol.TypeGameInvitation, acknowledges(protocol.TypeAnswerAck))
		start := time.Now()
		if got := outcome(a.Call(t.Context(), at("B"), invitation())); got != "E002" || time.Since(start) > time.Second {
			t.Errorf("nothing expected: got %s after %v, want E002 at once", got, time.Since(start))
		}
		_, other, err := a.Expect(t.Context(), rpc.Want{
			Type: protocol.TypeGameJoinAck, MatchID: "R1M1", Conversation: "conv-other", Peer: at("B"),
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := outcome(a.Call(t.Context(), at("B"), invitation())); got != "E002" {
			t.Errorf("expected in another conversation: got %s, want E002", got)
		}
		other.Close()
		start = time.Now()
		ctx, e := expect(t, a, rpc.Want{})
		defer e.Close()
		if got := outcome(a.Call(ctx, at("B"), invitation())); got != "E001" || time.Since(start) != 5*time.Second {
			t.Errorf("expected: got %s after %v, want E001 at the deadline", got, time.Since(start))
		}
	})
}

func TestCallEndsWhenTheAnswerComesByCall(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
		var book notebook
		_, a := w.boot("A", rpc.Options{Observe: book.observe})
		b, n := w.boot("B", rpc.Options{})
		n.Handle(protocol.TypeGameInvitation, acknowledges(protocol.TypeAnswerAck))
		go func() {
			_ = n.Sleep(b.Context(), "thinking", time.Second)
			_, _, _ = b.Post(b.Context(), at("A").Endpoint, "join",
				[]byte(`{"message_type":"GAME_JOIN_ACK","match_id":"R1M1","conversation_id":"conv-test","accept":true}`))
		}()
		ctx, e := expect(t, a, rpc.Want{})
		defer e.Close()
		start := time.Now()
		_, err := a.Call(ctx, at("B"), invitation())
		if !errors.Is(err, rpc.ErrAnswered) || time.Since(start) > 1100*time.Millisecond {
			t.Errorf("got %v after %v, want ErrAnswered after a second", err, time.Since(start))
		}
		if got := outcome(e.Answer(), nil); got != "GAME_JOIN_ACK" {
			t.Errorf("the answer: got %s", got)
		}
		_ = a.Sleep(t.Context(), "until the answer is acknowledged", time.Second)
		want := "sent GAME_INVITATION http://B/mcp\nreceived GAME_JOIN_ACK B\nsent reply ANSWER_ACK B"
		if got := book.seen(); got != want {
			t.Errorf("observed\n%s\nwant\n%s", got, want)
		}
	})
}

func TestEveryMessageIsObservedOnce(t *testing.T) {
	const invited = "received GAME_INVITATION A\n"
	for _, c := range []struct {
		name                string
		message             protocol.Message
		handler             rpc.Handler
		caller, called, err string
	}{
		{"answer", invitation(), joins,
			"sent GAME_INVITATION http://B/mcp\nreceived reply GAME_JOIN_ACK http://B/mcp",
			invited + "sent reply GAME_JOIN_ACK A", ""},
		{"refusal", invitation(), refuses(protocol.Errorf(protocol.OutOfTurn, "not now")),
			"sent GAME_INVITATION http://B/mcp\nreceived reply nothing http://B/mcp E007",
			invited + "sent reply GAME_ERROR A E007", "OUT_OF_TURN"},
		{"failure", invitation(), refuses(errors.New("broken")),
			"sent GAME_INVITATION http://B/mcp\nreceived reply nothing http://B/mcp E000",
			invited + "sent reply GAME_ERROR A E000", "INTERNAL_ERROR"},
		{"unreadable", &protocol.GameInvitation{
			Envelope: protocol.Envelope{MessageType: protocol.TypeGameInvitation, ConversationID: "c"},
		}, joins,
			"sent GAME_INVITATION http://B/mcp\nreceived reply nothing http://B/mcp E003",
			"received nothing A E003\nsent reply GAME_ERROR A E003", "match_id is missing"},
		{"no message in an acknowledgement", gameOver(), acknowledges(protocol.TypePong),
			"sent GAME_OVER http://B/mcp",
			"received GAME_OVER A\nsent reply PONG A", ""},
		{"silence", gameOver(), func(ctx context.Context, _ rpc.From, _ protocol.Message) (protocol.Message, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
			"sent GAME_OVER http://B/mcp\nreceived reply nothing http://B/mcp E001",
			"received GAME_OVER A", "within the deadline"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
				var caller, called notebook
				_, a := w.boot("A", rpc.Options{Observe: caller.observe})
				_, b := w.boot("B", rpc.Options{Observe: called.observe})
				b.Handle(c.message.Head().MessageType, c.handler)
				_, err := a.Call(t.Context(), at("B"), c.message)
				if c.err == "" != (err == nil) || !strings.Contains(fmt.Sprint(err), c.err) {
					t.Errorf("got %v, want %q", err, c.err)
				}
				if got := caller.seen(); got != c.caller {
					t.Errorf("the caller observed\n%s\nwant\n%s", got, c.caller)
				}
				if got := called.seen(); got != c.called {
					t.Errorf("the called observed\n%s\nwant\n%s", got, c.called)
				}
			})
		})
	}
}

func TestObserverLearnsDurationsAndWarnings(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
		var caller, called notebook
		_, a := w.boot("A", rpc.Options{Observe: caller.observe})
		_, b := w.boot("B", rpc.Options{Observe: called.observe})
		b.Handle(protocol.TypeGameInvitation, func(ctx context.Context, from rpc.From, m protocol.Message) (protocol.Message, error) {
			_ = b.Sleep(ctx, "thinking", time.Second)
			return joins(ctx, from, m)
		})
		m := invitation()
		m.ConversationID = ""
		if _, err := a.Call(t.Context(), at("B"), m); err != nil {
			t.Fatal(err)
		}
		if d := caller.messages[1].Elapsed; d < time.Second || d > 1020*time.Millisecond {
			t.Errorf("the caller waited %v, want a second and the way", d)
		}
		if d := called.messages[1].Elapsed; d != time.Second {
			t.Errorf("the answer took %v, want 1s", d)
		}
		if got := called.messages[0].Warnings; !slices.Equal(got, []string{"conversation_id: absent"}) {
			t.Errorf("warnings: got %q", got)
		}
	})
}
