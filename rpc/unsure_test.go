package rpc_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agentleague/protocol"
	"agentleague/rpc"
)

// TestAnswerThatProvesItselfStandsAgainstOneThatDoesNot has somebody answer an open call with the player's name or its own
// token, which anybody is given, and the player answer by a call after that, or in its answer to the call.
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
				Peer: rpc.Peer{Endpoint: s.URL}, Derive: func(own string) string { return strings.Replace(own, "own_", "tok_match_", 1) },
			})
			m := &protocol.GameInvitation{Envelope: protocol.Envelope{MessageType: protocol.TypeGameInvitation, MatchID: "R1M1", ConversationID: "conv-test"}}
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
