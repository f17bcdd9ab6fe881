package rpc_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// saying serves an agent that answers every request with the same body.
func saying(t *testing.T, contentType, body string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}

// parityCall is a question for a choice in R1M1.
func parityCall() *protocol.ChooseParityCall {
	return &protocol.ChooseParityCall{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeChooseParityCall, MatchID: "R1M1", RoundID: 1, ConversationID: "conv-1",
		},
		PlayerID: "P01", GameType: "even_odd", Deadline: "2026-01-01T00:00:00Z",
	}
}

// known is the dialect of a peer whose forms of these messages are known.
const known = "A GAME_INVITATION=call:handle_game_invitation CHOOSE_PARITY_CALL=call:choose_parity"

func TestAnswerInWordsIsAMessageForWhoCalled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ contentType, body string }{
		{"text/plain", "I choose even"}, {"application/json", `{"jsonrpc":"2.0","id":1,"result":"Even"}`},
		{"text/event-stream", "event: message\ndata: {\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"even\"}]}}\n\n"},
		{"application/json", `{"result":{"message_type":"CHOOSE_PARITY_RESPONSE","parity_choice":"EVEN"}}`},
	} {
		var warned []string
		n := rpc.NewNode("referee:REF01", rpc.Options{Observe: func(m rpc.Message) { warned = append(warned, m.Warnings...) }})
		to := rpc.Peer{Endpoint: saying(t, c.contentType, c.body), Dialect: known}
		reply, err := n.Call(t.Context(), to, parityCall())
		got, ok := reply.(*protocol.ChooseParityResponse)
		if err != nil || !ok || string(got.ParityChoice) != `"even"` {
			t.Fatalf("%s: got %+v, %v, want even", c.body, reply, err)
		}
		if said := strings.Join(warned, "; "); !strings.Contains(said, "offered") && !strings.Contains(said, "words") {
			t.Errorf("%s: the log does not tell how it was read: %s", c.body, said)
		}
	}
}

func TestWordsOfOurOwnAndStrictlyAreNoAnswer(t *testing.T) {
	t.Parallel()
	url := saying(t, "application/json", `{"result":"even"}`)
	for name, c := range map[string]struct {
		strict  bool
		dialect string
	}{"strictly": {true, known}, "of our own": {false, protocol.Canonical}} {
		n := rpc.NewNode("referee:REF01", rpc.Options{Strict: c.strict})
		reply, err := n.Call(t.Context(), rpc.Peer{Endpoint: url, Dialect: c.dialect}, parityCall())
		if reply != nil || !protocol.Is(err, protocol.InvalidMessage) {
			t.Errorf("%s: got %+v, %v, want an answer that cannot be understood", name, reply, err)
		}
	}
}

func TestWhoExpectsNoCallIsToldAtOnceWhatWasAnswered(t *testing.T) {
	t.Parallel()
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	to := rpc.Peer{Endpoint: saying(t, "text/plain", "I choose blue"), Dialect: known}
	_, err := n.Call(t.Context(), to, parityCall())
	if want := `answered "I choose blue", which holds neither even nor odd`; !protocol.Is(err, protocol.InvalidChoice) ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want E004: %s", err, want)
	}
}

func TestAnswerByCallMayBeOfTheOtherTypeOfMove(t *testing.T) {
	for name, c := range map[string]struct {
		strict  bool
		dialect string
		want    string // "": it is not taken
	}{"foreign": {false, known, `"odd"`}, "strictly": {true, known, `"Odd"`}, "of our own": {false, protocol.Canonical, ""}} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
				_, referee := w.boot("R", rpc.Options{Strict: c.strict})
				player, _ := w.boot("P", rpc.Options{})
				peer := at("P")
				peer.Dialect, peer.Token = c.dialect, "tok_match"
				_, door, err := referee.Expect(within(t, time.Minute), rpc.Want{
					Type: protocol.TypeChooseParityResponse, Peer: peer, PlayerID: "P01", MatchID: "R1M1", Conversation: "conv-1",
					Asked: parityCall(),
				})
				if err != nil {
					t.Fatal(err)
				}
				defer door.Close()
				body := `{"jsonrpc":"2.0","id":1,"method":"game_move_response","params":{"protocol":"league.v2","message_type":"GAME_MOVE_RESPONSE","sender":"player:P01","timestamp":"2000-01-01T00:00:00Z","conversation_id":"conv-1","match_id":"R1M1","player_id":"P01","game_type":"even_odd","move_data":{"move_type":"choose_parity","choice":"Odd"}}}`
				if _, _, err := player.Post(t.Context(), at("R").Endpoint, "answer", []byte(body)); err != nil {
					t.Fatal(err)
				}
				got, _ := door.Answer().(*protocol.ChooseParityResponse)
				if (got != nil) != (c.want != "") || got != nil && string(got.ParityChoice) != c.want {
					t.Errorf("got %+v, want %q", door.Answer(), c.want)
				}
			})
		})
	}
}

// A player may answer the question for even or odd with the general message for moves. Strictly the referee sends the
// documented form alone, whatever form the player was found to understand, and changes nothing in the answer.
func TestAnswerMayBeOfTheOtherTypeOfMove(t *testing.T) {
	t.Parallel()
	const answer = `{"jsonrpc":"2.0","id":1,"result":{"protocol":"league.v2","message_type":"GAME_MOVE_RESPONSE","sender":"player:P01","timestamp":"2026-01-01T00:00:00Z","conversation_id":"conv-1","match_id":"R1M1","player_id":"P01","game_type":"even_odd","move_data":{"move_type":"choose_parity","choice":"Odd"}}}`
	for strict, want := range map[bool]string{false: `"odd"`, true: `"Odd"`} {
		n := rpc.NewNode("referee:REF01", rpc.Options{Strict: strict})
		reply, err := n.Call(t.Context(), rpc.Peer{Endpoint: saying(t, "application/json", answer), Dialect: known}, parityCall())
		got, _ := reply.(*protocol.ChooseParityResponse)
		if err != nil || got == nil || string(got.ParityChoice) != want {
			t.Errorf("strict %v: got %+v, %v, want the choice %s", strict, reply, err, want)
		}
	}
}

func TestAStrictNodeDoesNotProbe(t *testing.T) {
	t.Parallel()
	var methods []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Method string }
		_ = json.NewDecoder(r.Body).Decode(&request)
		methods = append(methods, request.Method)
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`)
	}))
	defer server.Close()
	n := rpc.NewNode("referee:REF01", rpc.Options{Strict: true})
	if _, err := n.Call(t.Context(), rpc.Peer{Endpoint: server.URL}, parityCall()); err == nil {
		t.Error("the refusal of the method is no error")
	}
	if got := strings.Join(methods, " "); got != "choose_parity" {
		t.Errorf("a strict node called %s, want choose_parity once", got)
	}
}

// TestAnswerThatIsNoMoveIsToldAtOnceWhereACallMayFollow: a referee does not wait for a callback of a player that has
// made an invalid choice; it waits after an acknowledgement, and only once after other text.
func TestAnswerThatIsNoMoveIsToldAtOnceWhereACallMayFollow(t *testing.T) {
	for name, c := range map[string]struct {
		says  string
		waits []time.Duration // at each try, of ten seconds
	}{
		"a choice":             {`{"jsonrpc":"2.0","id":1,"result":"I choose blue"}`, []time.Duration{0, 0}},
		"a choice in a member": {`{"jsonrpc":"2.0","id":1,"result":{"my_pick":"blue"}}`, []time.Duration{0, 0}},
		"a receipt":            {`{"jsonrpc":"2.0","id":1,"result":{"status":"received"}}`, []time.Duration{10, 10}},
		"a promise":            {`{"jsonrpc":"2.0","id":1,"result":"I will choose soon"}`, []time.Duration{10, 10}},
		"words":                {`{"jsonrpc":"2.0","id":1,"result":"hello world"}`, []time.Duration{10, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				referee := rpc.NewNode("referee:REF01", rpc.Options{Network: parrot(c.says)})
				peer := rpc.Peer{Endpoint: "http://127.0.0.1:1/mcp", Dialect: known}
				for i, want := range c.waits {
					_, door, err := referee.Expect(t.Context(), rpc.Want{
						Type: protocol.TypeChooseParityResponse, Peer: peer, MatchID: "R1M1", Conversation: "conv-1", Asked: parityCall(),
					})
					if err != nil {
						t.Fatal(err)
					}
					began := time.Now()
					_, err = referee.Call(within(t, 10*time.Second), peer, parityCall())
					if took := time.Since(began); err == nil || took != want*time.Second {
						t.Errorf("try %d: got %v after %v, want an error after %v", i+1, err, took, want*time.Second)
					}
					door.Close()
				}
			})
		})
	}
}

// A parrot is a network on which every agent gives the same answer.
type parrot string

func (p parrot) Post(context.Context, string, string, []byte) (int, []byte, error) {
	return http.StatusOK, []byte(p), nil
}

func (parrot) Sleep(ctx context.Context, _ string, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func (parrot) Probe(context.Context, string) error        { return nil }
func (parrot) Addresses(context.Context, string) []string { return []string{"127.0.0.1"} }
func (parrot) Random(b []byte)                            { clear(b) }

func TestFormInWhichAPeerChoseIsKnown(t *testing.T) {
	t.Parallel()
	s := newPathAgent(t, "/mcp", func(method, _ string) string {
		if method == "choose_parity" {
			return `{"jsonrpc":"2.0","result":"I choose blue","id":7}`
		}
		return `{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}`
	})
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	to := rpc.Peer{Endpoint: s.URL + "/mcp", Dialect: "A"}
	for range 2 {
		if _, err := n.Call(t.Context(), to, parityCall()); !protocol.Is(err, protocol.InvalidChoice) {
			t.Errorf("got %v, want what was answered", err)
		}
	}
	if got := n.Dialect(to); got != "A CHOOSE_PARITY_CALL=call:choose_parity" {
		t.Errorf("learned %q, want the form in which it chose", got)
	}
}
