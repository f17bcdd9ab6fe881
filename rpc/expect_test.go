package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// expect opens an expectation of player P01's answer to an invitation to R1M1. Fields that w sets are kept.
func expect(t *testing.T, n *rpc.Node, w rpc.Want) (context.Context, *rpc.Expectation) {
	t.Helper()
	w.Type, w.PlayerID, w.LeagueID, w.MatchID, w.Conversation = protocol.TypeGameJoinAck, "P01", "L", "R1M1", "conv-test"
	if w.Peer.Endpoint == "" {
		w.Peer.Endpoint = at("B").Endpoint
	}
	w.Peer.Token = "tok_match_of_P01"
	ctx, e, err := n.Expect(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return ctx, e
}

// answerBy sends a GAME_JOIN_ACK with those members from an address, and
// returns "ok" or the code of the error.
func answerBy(n *rpc.Node, addr, members string) string {
	body := n.Answer(context.Background(), rpc.From{Addr: addr},
		[]byte(`{"jsonrpc":"2.0","method":"join","params":{"message_type":"GAME_JOIN_ACK","accept":true,`+
			members+`},"id":1}`))
	var got struct {
		Error struct {
			Code string `json:"error_code"`
		}
		Result struct {
			Type string `json:"message_type"`
		}
	}
	if err := json.Unmarshal(body, &got); err != nil {
		return err.Error()
	}
	if got.Result.Type == "ANSWER_ACK" {
		return "ok"
	}
	return got.Error.Code
}

const here = "127.0.0.1"

func TestAnswerByCallIsBelievedOnlyFromThePlayerThatWasAsked(t *testing.T) {
	for _, c := range []struct{ name, addr, members, want string }{
		{"conversation", here, `"match_id":"R1M1","conversation_id":"conv-test"`, "ok"},
		{"conversation, any sender", here, `"match_id":"R1M1","conversation_id":"conv-test","sender":"player:Alice"`, "ok"},
		{"conversation and a token of its own", here,
			`"match_id":"R1M1","conversation_id":"conv-test","auth_token":"tok_player_P01_x"`, "ok"},
		{"token", here, `"match_id":"R1M1","auth_token":"tok_match_of_P01"`, "ok"},
		{"token in another conversation", here,
			`"match_id":"R1M1","conversation_id":"conv-own","auth_token":"tok_match_of_P01"`, "ok"},
		{"neither, but its id", here, `"match_id":"R1M1","sender":"player:P01"`, "ok"},
		{"neither, its id and league", here, `"match_id":"R1M1","sender":"player:P01","league_id":"L"`, "ok"},
		{"nulls and its id", here, `"match_id":"R1M1","sender":"player:P01","conversation_id":null,"auth_token":null`, "ok"},
		{"the match for a conversation, and its id", here,
			`"match_id":"R1M1","sender":"player:P01","conversation_id":"R1M1","auth_token":""`, "ok"},
		{"the match for a conversation, and another id", here,
			`"match_id":"R1M1","sender":"player:P02","conversation_id":"R1M1","auth_token":""`, "E012"},
		{"its own token in another conversation", here,
			`"match_id":"R1M1","conversation_id":"conv-own","auth_token":"own_of_P01"`, "ok"},
		{"another's own token", here,
			`"match_id":"R1M1","conversation_id":"conv-own","auth_token":"own_of_P02","sender":"player:P01"`, "E012"},
		{"neither, but the id that it has for itself", here, `"match_id":"R1M1","sender":"player:P77"`, "ok"},
		{"neither, but its id as a field", here, `"match_id":"R1M1","player_id":"P01","sender":"player:Alice"`, "ok"},
		{"neither and another id", here, `"match_id":"R1M1","sender":"player:P02","player_id":"P02"`, "E012"},
		{"neither and no id", here, `"match_id":"R1M1"`, "E012"},
		{"neither and another league", here, `"match_id":"R1M1","sender":"player:P01","league_id":"M"`, "E012"},
		{"wrong conversation", here, `"match_id":"R1M1","conversation_id":"conv-guess"`, "E012"},
		{"wrong conversation, right id", here, `"match_id":"R1M1","conversation_id":"conv-guess","sender":"player:P01"`,
			"E012"},
		{"wrong token, right id", here, `"match_id":"R1M1","auth_token":"tok_guess","sender":"player:P01"`, "E012"},
		{"another address", "192.0.2.7", `"match_id":"R1M1","conversation_id":"conv-test","auth_token":"tok_match_of_P01"`,
			"E012"},
		{"no address", "", `"match_id":"R1M1","conversation_id":"conv-test"`, "E012"},
		{"another match", here, `"match_id":"R1M2","conversation_id":"conv-test"`, "E008"},
		{"no match", here, `"conversation_id":"conv-test"`, "E008"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := rpc.NewNode("referee:REF01", rpc.Options{})
			ctx, e := expect(t, n, rpc.Want{
				Peer: rpc.Peer{Endpoint: "http://localhost:8101/mcp"}, CallsItself: "P77",
				Derive: func(own string) string { return strings.Replace(own, "own_", "tok_match_", 1) },
			})
			defer e.Close()
			e.CameBack()
			if got := answerBy(n, c.addr, c.members); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			answered := e.Answer() != nil
			if answered != (c.want == "ok") || answered != errors.Is(context.Cause(ctx), rpc.ErrAnswered) {
				t.Errorf("answer %v, context ended by %v", e.Answer(), context.Cause(ctx))
			}
			if answered && e.Answer().Head().ConversationID != "conv-test" {
				t.Errorf("the answer is in %q, want the call's conversation", e.Answer().Head().ConversationID)
			}
		})
	}
}

// In strict mode a callback shows the call's conversation or the token of the match, or neither and the player's id;
// the tolerated values of foreign agents are refused.
func TestStrictlyAnAnswerByCallShowsWhatTheCallHad(t *testing.T) {
	for _, c := range []struct{ name, members, want string }{
		{"conversation", `"match_id":"R1M1","conversation_id":"conv-test"`, "ok"},
		{"token of the match", `"match_id":"R1M1","auth_token":"tok_match_of_P01"`, "ok"},
		{"neither, but its id", `"match_id":"R1M1","sender":"player:P01"`, "ok"},
		{"its own token", `"match_id":"R1M1","auth_token":"own_of_P01"`, "E012"},
		{"its own token in another conversation",
			`"match_id":"R1M1","conversation_id":"conv-own","auth_token":"own_of_P01","sender":"player:P01"`, "E012"},
		{"the match for a conversation, and its id",
			`"match_id":"R1M1","sender":"player:P01","conversation_id":"R1M1","auth_token":""`, "E012"},
	} {
		n := rpc.NewNode("referee:REF01", rpc.Options{Strict: true})
		_, e := expect(t, n, rpc.Want{
			Peer: rpc.Peer{Endpoint: "http://localhost:8101/mcp"}, Derive: func(own string) string {
				return strings.Replace(own, "own_", "tok_match_", 1)
			},
		})
		e.CameBack()
		if got := answerBy(n, here, c.members); got != c.want || (e.Answer() != nil) != (c.want == "ok") {
			t.Errorf("%s: got %s and %v, want %s", c.name, got, e.Answer(), c.want)
		}
		e.Close()
	}
}

func TestAnswerByCallUnderAnotherManagerShowsWhatThatOneGave(t *testing.T) {
	const shown = `"match_id":"R1M1","conversation_id":"conv-own","auth_token":"tok_of_another_manager","league_id":"M",`
	for _, c := range []struct {
		name, addr, members string
		strict              bool
		want                string
	}{
		{"its id", here, shown + `"sender":"player:P01"`, false, "ok"},
		{"its id as a field", here, shown + `"player_id":"P01"`, false, "ok"},
		{"another id", here, shown + `"sender":"player:P02"`, false, "E012"},
		{"no id", here, shown + `"sender":"player"`, false, "E012"},
		{"its id from elsewhere", "192.0.2.7", shown + `"sender":"player:P01"`, false, "E012"},
		{"in strict mode", here, shown + `"sender":"player:P01"`, true, "E012"},
	} {
		n := rpc.NewNode("referee:REF01", rpc.Options{Strict: c.strict})
		_, e := expect(t, n, rpc.Want{Peer: rpc.Peer{Endpoint: "http://localhost:8101/mcp"}, AnyToken: true})
		e.CameBack()
		if got := answerBy(n, c.addr, c.members+`,"timestamp":"2000-01-01T00:00:00Z","protocol":"league.v2"`); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
		e.Close()
	}
}

func TestConversationIsNotToldToWhoDoesNotKnowIt(t *testing.T) {
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	_, e := expect(t, n, rpc.Want{Peer: rpc.Peer{Endpoint: "http://localhost:8101/mcp"}})
	defer e.Close()
	e.CameBack()
	body := string(ask(n, `{"message_type":"GAME_JOIN_ACK","match_id":"R1M1","sender":"player:P01"}`))
	if !strings.Contains(body, "ANSWER_ACK") || strings.Contains(body, "conv-test") {
		t.Errorf("got %s, want it acknowledged in a conversation of its own", body)
	}
}

func TestFirstAnswerByCallCounts(t *testing.T) {
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	const members = `"match_id":"R1M1","conversation_id":"conv-test"`
	if got := answerBy(n, here, members); got != "E008" {
		t.Errorf("before it is expected: got %s, want E008", got)
	}
	_, e := expect(t, n, rpc.Want{Peer: rpc.Peer{Endpoint: "http://localhost:8101/mcp"}})
	if got := answerBy(n, here, members+`,"player_id":"first"`); got != "ok" {
		t.Errorf("first: got %s, want ok", got)
	}
	if got := answerBy(n, here, members+`,"player_id":"second"`); got != "E008" {
		t.Errorf("second: got %s, want E008", got)
	}
	if got := e.Answer().(*protocol.GameJoinAck).PlayerID; got != "first" {
		t.Errorf("got the answer of %s, want the first", got)
	}
	e.Close()
	e.Close()
	if got := answerBy(n, here, members); got != "E008" {
		t.Errorf("after Close: got %s, want E008", got)
	}
}

func TestCloseEndsTheContext(t *testing.T) {
	ctx, e := expect(t, rpc.NewNode("referee:REF01", rpc.Options{}), rpc.Want{
		Peer: rpc.Peer{Endpoint: "http://localhost/mcp"},
	})
	e.Close()
	if ctx.Err() == nil || errors.Is(context.Cause(ctx), rpc.ErrAnswered) || e.Answer() != nil {
		t.Errorf("context ended by %v, answer %v; want it ended without an answer", context.Cause(ctx), e.Answer())
	}
}

func TestOnlySoManyAnswersAreWaitedFor(t *testing.T) {
	n := rpc.NewNode("referee:REF01", rpc.Options{MaxWaiting: 2})
	want := rpc.Want{Peer: rpc.Peer{Endpoint: "http://localhost/mcp"}}
	_, first := expect(t, n, want)
	_, second := expect(t, n, want)
	defer second.Close()
	if _, _, err := n.Expect(t.Context(), want); err == nil {
		t.Error("a third: want an error")
	}
	first.Close()
	first.Close()
	_, third := expect(t, n, want)
	defer third.Close()
	if _, _, err := n.Expect(t.Context(), want); err == nil {
		t.Error("closed twice, one more than is free: want an error")
	}
}

func TestAddressOfAnAnswerByCall(t *testing.T) {
	for _, c := range []struct{ endpoint, addr, want string }{
		{"http://localhost:8101/mcp", "127.0.0.1", "ok"},
		{"http://localhost:8101/mcp", "::1", "ok"},
		{"http://127.0.0.1:8101/mcp", "::1", "ok"},
		{"http://[::1]:8101/mcp", "127.0.0.1", "ok"},
		{"http://0.0.0.0:8101/mcp", "127.0.0.1", "ok"},
		{"http://LOCALHOST:8101/mcp", "127.0.0.1", "ok"},
		{"http://192.0.2.7:8101/mcp", "192.0.2.7", "ok"},
		{"http://192.0.2.7:8101/mcp", "::ffff:192.0.2.7", "ok"},
		{"http://[2001:db8::7]:8101/mcp", "2001:db8:0::7", "ok"},
		{"http://192.0.2.7:8101/mcp", "192.0.2.8", "E012"},
		{"http://192.0.2.7:8101/mcp", "127.0.0.1", "E012"},
		{"http://localhost:8101/mcp", "192.0.2.7", "E012"},
		{"http://0.0.0.0:8101/mcp", "192.0.2.7", "E012"},
		{"nothing", "", "E012"},
	} {
		n := rpc.NewNode("referee:REF01", rpc.Options{})
		_, e := expect(t, n, rpc.Want{Peer: rpc.Peer{Endpoint: c.endpoint}})
		if got := answerBy(n, c.addr, `"match_id":"R1M1","conversation_id":"conv-test"`); got != c.want {
			t.Errorf("%s from %q: got %s, want %s", c.endpoint, c.addr, got, c.want)
		}
		e.Close()
	}
}

func TestExpectationsOfManyMatchesAtOnce(t *testing.T) {
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	var wg sync.WaitGroup
	for k := range 20 {
		for _, player := range []string{"P01", "P02"} {
			wg.Go(func() {
				match, conversation := fmt.Sprint("R1M", k), fmt.Sprint("conv-", k, player)
				ctx, e, err := n.Expect(t.Context(), rpc.Want{
					Type: protocol.TypeGameJoinAck, PlayerID: player, MatchID: match, Conversation: conversation,
					Peer: rpc.Peer{Endpoint: "http://localhost/mcp"},
				})
				if err != nil {
					t.Error(err)
					return
				}
				defer e.Close()
				var oks int
				var mu sync.Mutex
				var answers sync.WaitGroup
				for range 4 {
					answers.Go(func() {
						got := answerBy(n, here, fmt.Sprintf(`"match_id":%q,"conversation_id":%q,"player_id":%q`, match,
							conversation, player))
						mu.Lock()
						defer mu.Unlock()
						if got == "ok" {
							oks++
						} else if got != "E008" {
							t.Errorf("%s %s: got %s", match, player, got)
						}
					})
				}
				<-ctx.Done()
				answers.Wait()
				if got := e.Answer().(*protocol.GameJoinAck).PlayerID; oks != 1 || got != player {
					t.Errorf("%s %s: %d answers counted, from %s; want 1", match, player, oks, got)
				}
			})
		}
	}
	wg.Wait()
}

func TestEveryKindOfAnswerMayComeByCall(t *testing.T) {
	for answer, of := range map[protocol.Type]string{
		protocol.TypeGameJoinAck:          `"accept":true`,
		protocol.TypeChooseParityResponse: `"parity_choice":"even"`,
		protocol.TypeGameMoveResponse:     `"move_data":{"choice":4}`,
	} {
		n := rpc.NewNode("referee:REF01", rpc.Options{Strict: true})
		_, e, err := n.Expect(t.Context(), rpc.Want{
			Type: answer, PlayerID: "P01", MatchID: "R1M1", Peer: rpc.Peer{Endpoint: "http://localhost/mcp"},
		})
		if err != nil {
			t.Fatal(err)
		}
		e.CameBack()
		for _, player := range []string{"", "P02", "P01"} {
			ask(n, fmt.Sprintf(`{"message_type":%q,"match_id":"R1M1","player_id":%q,%s}`, answer, player, of))
			if answered := e.Answer() != nil; answered != (player == "P01") {
				t.Errorf("%s of %q: answered %v", answer, player, answered)
			}
		}
		e.Close()
	}
}

func TestExpectationIsBoundToItsContext(t *testing.T) {
	parent, cancel := context.WithTimeout(t.Context(), time.Hour)
	ctx, e, err := rpc.NewNode("referee:REF01", rpc.Options{}).Expect(parent, rpc.Want{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if cancel(); ctx.Err() == nil {
		t.Error("the context goes on without its parent")
	}
}
