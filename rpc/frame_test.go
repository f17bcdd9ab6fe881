package rpc_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"agentleague/protocol"
	"agentleague/rpc"
)

func TestErrorHasItsWholeShape(t *testing.T) {
	refusal := protocol.Errorf(protocol.AuthTokenInvalid, "that is not the token").With("provided_token",
		protocol.Redact("tok_x"))
	synctest.Test(t, func(t *testing.T) { // for its clock
		for _, c := range []struct{ sender, body, want string }{
			{"league_manager",
				`{"jsonrpc":"2.0","method":"league_query","params":{"conversation_id":"conv-7","query_type":"GET_STATUS","auth_token":"tok_player_P01_secret"},"id":7}`,
				`{
				"jsonrpc":"2.0","id":7,"error":{"code":6001,"message":"AUTH_TOKEN_INVALID",
				"error_code":"E012","error_name":"AUTH_TOKEN_INVALID","error_description":"AUTH_TOKEN_INVALID",
				"data":{"protocol":"league.v2","message_type":"LEAGUE_ERROR","sender":"league_manager","timestamp":"2000-01-01T00:00:00Z",
					"conversation_id":"conv-7","error_code":"E012","error_name":"AUTH_TOKEN_INVALID","error_description":"AUTH_TOKEN_INVALID","error_message":"AUTH_TOKEN_INVALID","detail":"that is not the token",
					"suggestion":"Send the auth_token that you were given, or register again",
					"original_message_type":"LEAGUE_QUERY","retryable":false,
					"context":{"action":"LEAGUE_QUERY","detail":"that is not the token","provided_token":"tok_…(redacted)"}}}}`},
			{"referee:REF01",
				`{"jsonrpc":"2.0","method":"get_match_state","params":{"conversation_id":"conv-7","match_id":"R1M1"},"id":"x"}`, `{
				"jsonrpc":"2.0","id":"x","error":{"code":4001,"message":"AUTH_TOKEN_INVALID",
				"error_code":"E012","error_name":"AUTH_TOKEN_INVALID","error_description":"AUTH_TOKEN_INVALID",
				"data":{"protocol":"league.v2","message_type":"GAME_ERROR","sender":"referee:REF01","timestamp":"2000-01-01T00:00:00Z",
					"conversation_id":"conv-7","match_id":"R1M1","error_code":"E012","error_name":"AUTH_TOKEN_INVALID","error_description":"AUTH_TOKEN_INVALID","error_message":"AUTH_TOKEN_INVALID","detail":"that is not the token",
					"suggestion":"Send the auth_token that you were given, or register again",
					"original_message_type":"GET_MATCH_STATE","retryable":false,"retry_count":0,"max_retries":0,
					"context":{"action":"GET_MATCH_STATE","detail":"that is not the token","provided_token":"tok_…(redacted)"}}}}`},
			{"player:P01",
				`{"message_type":"CHOOSE_PARITY_CALL","conversation_id":"conv-7","match_id":"R1M1","player_id":"P01","Player_ID":"P02","auth_token":"tok_match_secret"}`,
				`{
				"protocol":"league.v2","message_type":"GAME_ERROR","sender":"player:P01","timestamp":"2000-01-01T00:00:00Z",
				"conversation_id":"conv-7","match_id":"R1M1","player_id":"P01","affected_player":"P01",
				"error_code":"E012","error_name":"AUTH_TOKEN_INVALID","error_description":"AUTH_TOKEN_INVALID","error_message":"AUTH_TOKEN_INVALID","detail":"that is not the token",
				"suggestion":"Send the auth_token that you were given, or register again",
				"original_message_type":"CHOOSE_PARITY_CALL","retryable":false,"retry_count":0,"max_retries":0,
				"context":{"action":"CHOOSE_PARITY_CALL","detail":"that is not the token","player_id":"P01","provided_token":"tok_…(redacted)"}}`},
		} {
			n := rpc.NewNode(c.sender, rpc.Options{})
			for _, of := range []protocol.Type{
				protocol.TypeLeagueQuery, protocol.TypeGetMatchState, protocol.TypeChooseParityCall,
			} {
				n.Handle(of, refuses(refusal))
			}
			if got := ask(n, c.body); indented(t, got) != indented(t, []byte(c.want)) {
				t.Errorf("%s: got %s\nwant %s", c.sender, indented(t, got), indented(t, []byte(c.want)))
			}
		}
	})
}

// indented writes JSON in one form, for comparing.
func indented(t *testing.T, raw []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	out, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestErrorNeverRepeatsAToken(t *testing.T) {
	const secret = "tok_player_P01_c2VjcmV0-_x"
	n := newPlayer(rpc.Options{})
	n.Handle(protocol.TypeGameInvitation, func(_ context.Context, _ rpc.From, m protocol.Message) (
		protocol.Message, error) {
		return nil, protocol.Errorf(protocol.AuthTokenInvalid, "no such token: %s", m.Head().AuthToken).With("token",
			m.Head().AuthToken)
	})
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"handle_game_invitation","params":{"match_id":"R1M1","auth_token":"` +
			secret + `"},"id":1}`,
		`{"jsonrpc":"2.0","method":"handle_game_invitation","params":["` + secret + `"],"id":1}`,
		`{"jsonrpc":"2.0","method":"handle_game_invitation","params":{"match_id":"R1M1","sender":"` + secret + `"},"id":1}`,
		`{"jsonrpc":"2.0","method":"` + secret + `","id":1}`,
		`{"jsonrpc":"2.0","method":"mcp_message","params":{"message_type":"` + secret + `"},"id":1}`,
		`{"jsonrpc":"2.0","method":"ping","` + secret + `":1,"` + secret + `":2,"id":1}`,
		`{"message_type":"GAME_INVITATION","match_id":"R1M1","auth_token":"` + secret + `"}`,
	} {
		got := string(ask(n, body))
		if strings.Contains(got, "c2VjcmV0") || !strings.Contains(got, "tok_…(redacted)") {
			t.Errorf("%s\ngot %s\nwant the token redacted", body, got)
		}
	}
}

func TestAnswersRepeatTheConversation(t *testing.T) {
	conversation := func(n *rpc.Node, params string) string {
		var got struct {
			Result struct {
				ConversationID string `json:"conversation_id"`
			}
		}
		if err := json.Unmarshal(ask(n, `{"jsonrpc":"2.0","method":"handle_game_invitation","params":`+params+`,"id":1}`),
			&got); err != nil {
			t.Fatal(err)
		}
		return got.Result.ConversationID
	}
	var heard string
	n := newPlayer(rpc.Options{})
	n.Handle(protocol.TypeGameInvitation, func(ctx context.Context, from rpc.From, m protocol.Message) (
		protocol.Message, error) {
		heard = m.Head().ConversationID
		return joins(ctx, from, m)
	})
	if got := conversation(n, `{"match_id":"R1M1","conversation_id":"conv-r1m1-001"}`); got != "conv-r1m1-001" {
		t.Errorf("got %q, want the conversation of the request", got)
	}
	for _, absent := range []string{
		`{"match_id":"R1M1"}`, `{"match_id":"R1M1","Conversation_ID":"conv-other"}`,
		`{"match_id":"R1M1","conversation_id":null}`,
	} {
		if got := conversation(n, absent); got == "" || got == "conv-other" || got != heard {
			t.Errorf("%s: answered in %q, handled in %q; want one new conversation", absent, got, heard)
		}
	}
}

func TestAnswersAreStamped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newPlayer(rpc.Options{})
		n.SetSender("player:P07")
		got := string(ask(n, `{"message_type":"PING","sender":"referee:REF01","conversation_id":"c"}`))
		want := `{"protocol":"league.v2","message_type":"PONG","sender":"player:P07","timestamp":"2000-01-01T00:00:00Z","conversation_id":"c","status":"ok","agent":"player:P07"}`
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}
