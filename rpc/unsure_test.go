package rpc_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// TestAnswerThatProvesItselfStandsAgainstOneThatDoesNot has an attacker answer an open call with the player's name or
// with its own token, which any client can get, and the player answer afterwards by callback or directly.
func TestAnswerThatProvesItselfStandsAgainstOneThatDoesNot(t *testing.T) {
	const mine = `"match_id":"R1M1","conversation_id":"conv-test","player_id":"the player"`
	for name, theirs := range map[string]string{
		"its name":  `"match_id":"R1M1","sender":"player:P01","player_id":"P01"`,
		"its token": `"match_id":"R1M1","sender":"player:P01","player_id":"P01","conversation_id":"conv-own","auth_token":"own_of_P01"`,
	} {
		for _, inAnswer := range []bool{false, true} {
			n := rpc.NewNode("referee:REF01", rpc.Options{})
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { // while the player is called
				if got := answerBy(n, here, theirs); got != "ok" {
					t.Errorf("%s: got %s", name, got)
				}
				if inAnswer {
					fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"message_type":"GAME_JOIN_ACK","accept":true,`+mine+`}}`)
					return
				}
				if got := answerBy(n, here, mine); got != "ok" {
					t.Errorf("after %s: got %s, want the player's own answer to be taken", name, got)
				}
				fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
			}))
			ctx, e := expect(t, n, rpc.Want{
				Peer: rpc.Peer{Endpoint: s.URL}, Derive: func(own string) string {
					return strings.Replace(own, "own_", "tok_match_", 1)
				},
			})
			m := &protocol.GameInvitation{
				Envelope: protocol.Envelope{MessageType: protocol.TypeGameInvitation, MatchID: "R1M1", ConversationID: "conv-test"},
			}
			reply, _ := n.Call(ctx, rpc.Peer{Endpoint: s.URL}, m)
			if !inAnswer {
				reply = e.Answer()
			}
			if ack, ok := reply.(*protocol.GameJoinAck); !ok || ack.PlayerID != "the player" || inAnswer && e.Answer() != nil {
				t.Errorf("%s, in the answer %v: got %+v and %+v, want the player's own", name, inAnswer, reply, e.Answer())
			}
			e.Close()
			s.Close()
		}
	}
}

// TestUnprovenAnswerCountsOnlyIfTheCallCameBack has an attacker answer with only the player's name, during and after
// the call. If the call is lost, or not made yet, only the player's proven answer counts.
func TestUnprovenAnswerCountsOnlyIfTheCallCameBack(t *testing.T) {
	const theirs = `"match_id":"R1M1","sender":"player:P01","player_id":"P01"`
	lost := func(ctx context.Context, _ rpc.From, _ protocol.Message) (protocol.Message, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for _, c := range []struct {
		name                  string
		player                rpc.Handler
		during, after, counts string // the answer to the attacker, and whose answer counted in the end
	}{
		{"it never does", lost, "ok", "E008", ""},
		{"it brings nothing", acknowledges(protocol.TypeAnswerAck), "ok", "E008", "during"},
		{"it brings the answer", joins, "ok", "E008", ""},
		{"it brings an error", refuses(protocol.Errorf(protocol.OutOfTurn, "later")), "ok", "E008", "during"},
		{"it never does, and nobody answers before", lost, "", "E008", ""},
		{"it brings nothing, and nobody answers before", acknowledges(protocol.TypeAnswerAck), "", "ok", "after"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
				_, a := w.boot("A", rpc.Options{})
				_, b := w.boot("B", rpc.Options{})
				handler := func(ctx context.Context, from rpc.From, m protocol.Message) (protocol.Message, error) {
					if c.during != "" {
						if got := answerBy(a, "B", theirs+`,"arrival_timestamp":"during"`); got != c.during {
							t.Errorf("while it is called: got %s, want %s", got, c.during)
						}
					}
					return c.player(ctx, from, m)
				}
				b.Handle(protocol.TypeGameInvitation, handler)
				_, e := expect(t, a, rpc.Want{})
				defer e.Close()
				if got := answerBy(a, "B", theirs+`,"arrival_timestamp":"before"`); got != "E008" {
					t.Errorf("before it is called: got %s, want E008", got)
				}
				_, _ = a.Call(within(t, time.Second), at("B"), invitation())
				if got := answerBy(a, "B", theirs+`,"arrival_timestamp":"after"`); got != c.after {
					t.Errorf("afterwards: got %s, want %s", got, c.after)
				}
				var counts string
				if ack, ok := e.Answer().(*protocol.GameJoinAck); ok {
					counts = ack.ArrivalTimestamp
				}
				if counts != c.counts {
					t.Errorf("the answer that counts came %q, want %q", counts, c.counts)
				}
			})
		})
	}
}
