package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"agentleague/protocol"
	"agentleague/rpc"
)

// The examples of section 7 of the JSON-RPC 2.0 specification, with methods of the league.
func TestSpecificationExamples(t *testing.T) {
	n := newManager(rpc.Options{})
	for _, c := range []struct{ name, body, want string }{
		{"positional parameters", `{"jsonrpc": "2.0", "method": "league_query", "params": [42, 23], "id": 1}`, `1 -32602`},
		{"positional parameters, none", `{"jsonrpc": "2.0", "method": "ping", "params": [], "id": 2}`, `2 -32602`},
		{"named parameters",
			`{"jsonrpc": "2.0", "method": "league_query", "params": {"query_type": "GET_STATUS", "league_id": "L"}, "id": 3}`,
			`3 ok`},
		{"named parameters, other order",
			`{"id": 4, "params": {"league_id": "L", "query_type": "GET_STATUS"}, "method": "league_query", "jsonrpc": "2.0"}`,
			`4 ok`},
		{"no parameters", `{"jsonrpc": "2.0", "method": "ping", "id": 5}`, `5 ok`},
		{"notification", `{"jsonrpc": "2.0", "method": "notify_round_completed", "params": {"round_id": 1}}`, `nothing`},
		{"notification without parameters", `{"jsonrpc": "2.0", "method": "foobar"}`, `nothing`},
		{"wrong notification", `{"jsonrpc": "2.0", "method": "notify_round_completed", "params": [1]}`, `nothing`},
		{"non-existent method", `{"jsonrpc": "2.0", "method": "foobar", "id": "1"}`, `"1" -32601`},
		{"invalid JSON", `{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]`, `null -32700`},
		{"no JSON at all", ``, `null -32700`},
		{"JSON and something after it", `{"jsonrpc": "2.0", "method": "ping", "id": 1} x`, `null -32700`},
		{"JSON that is not UTF-8", "{\"jsonrpc\": \"2.0\", \"method\": \"ping\", \"id\": \"\xff\"}", `null -32700`},
		{"invalid request object", `{"jsonrpc": "2.0", "method": 1, "params": "bar"}`, `null -32600`},
		{"batch, invalid JSON",
			`[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, {"jsonrpc": "2.0", "method"]`, `null -32700`},
		{"empty array", `[]`, `null -32600`},
		{"invalid batch, but not empty", `[1]`, `[null -32600]`},
		{"invalid batch", `[1,2,3]`, `[null -32600, null -32600, null -32600]`},
		{"mixed batch", `[
			{"jsonrpc": "2.0", "method": "ping", "params": {}, "id": "1"},
			{"jsonrpc": "2.0", "method": "notify_round_completed", "params": {"round_id": 7}},
			{"jsonrpc": "2.0", "method": "league_query", "params": {"query_type": "GET_STATUS"}, "id": "2"},
			{"foo": "boo"},
			{"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
			{"jsonrpc": "2.0", "method": "get_standings", "id": "9"}
		]`, `["1" ok, "2" ok, null -32600, "5" -32601, "9" ok]`},
		{"batch of notifications",
			`[{"jsonrpc": "2.0", "method": "notify_round_completed", "params": {"round_id": 1}}, {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]`,
			`nothing`},
		{"neither array nor object", `"ping"`, `null -32600`},
		{"null", ` null `, `null -32600`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := outline(t, ask(n, c.body)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestPositionalParametersAreRefusedWithASentence(t *testing.T) {
	for _, method := range []string{"ping", "league_query", "mcp_message"} {
		got := string(ask(newManager(rpc.Options{}),
			`{"jsonrpc":"2.0","method":"`+method+`","params":["tok_player_P01_secret"],"id":1}`))
		if !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, `"detail":"`) ||
			!strings.Contains(got, "LEAGUE_ERROR") {
			t.Errorf("%s: got %s, want -32602 with a detail", method, got)
		}
		if strings.Contains(got, "secret") {
			t.Errorf("%s: the answer repeats a token: %s", method, got)
		}
	}
}

func TestRequestsThatAreInvalid(t *testing.T) {
	n := newManager(rpc.Options{})
	for _, c := range []struct{ name, body, want, detail string }{
		{"id true", `{"jsonrpc":"2.0","method":"ping","id":true}`, `null -32600`, "id: want"},
		{"id false", `{"jsonrpc":"2.0","method":"ping","id":false}`, `null -32600`, "id: want"},
		{"id object", `{"jsonrpc":"2.0","method":"ping","id":{"a":1}}`, `null -32600`, "id: want"},
		{"id array", `{"jsonrpc":"2.0","method":"ping","id":[1]}`, `null -32600`, "id: want"},
		{"no version", `{"method":"ping","id":1}`, `1 -32600`, "jsonrpc: want"},
		{"old version", `{"jsonrpc":"1.0","method":"ping","id":1}`, `1 -32600`, "jsonrpc: want"},
		{"version as a number", `{"jsonrpc":2.0,"method":"ping","id":1}`, `1 -32600`, "jsonrpc: want"},
		{"no method", `{"jsonrpc":"2.0","id":1}`, `1 -32600`, "method: want"},
		{"method null", `{"jsonrpc":"2.0","method":null,"id":1}`, `1 -32600`, "method: want"},
		{"method with a capital", `{"jsonrpc":"2.0","Method":"ping","id":1}`, `1 -32600`, "method: want"},
		{"id with a capital", `{"jsonrpc":"2.0","method":"ping","ID":1}`, `nothing`, ""},
		{"params a string", `{"jsonrpc":"2.0","method":"ping","params":"x","id":1}`, `1 -32600`, "params: want"},
		{"params null", `{"jsonrpc":"2.0","method":"ping","params":null,"id":1}`, `1 -32600`, "params: want"},
		{"message_type with a capital", `{"jsonrpc":"2.0","method":"fly","params":{"Message_Type":"PING"},"id":1}`,
			`1 -32601`, "no method"},
		{"member twice", `{"jsonrpc":"2.0","method":"ping","method":"league_query","id":1}`, `null -32600`, "occurs twice"},
		{"id twice", `{"jsonrpc":"2.0","method":"ping","id":1,"id":2}`, `null -32600`, "occurs twice"},
		{"member of the message twice", `{"jsonrpc":"2.0","method":"ping","params":{"sender":"a","sender":"b"},"id":1}`,
			`null -32600`, "occurs twice"},
		{"member twice, written differently", `{"jsonrpc":"2.0","method":"ping","params":{"a":1,"\u0061":2},"id":1}`,
			`null -32600`, "occurs twice"},
		{"member twice, far down", `{"jsonrpc":"2.0","method":"ping","params":{"x":[[{"y":{"z":1,"z":2}}]]},"id":1}`,
			`null -32600`, "occurs twice"},
		{"member twice in one of a batch",
			`[{"jsonrpc":"2.0","method":"ping","params":{"a":1,"a":1},"id":1},{"jsonrpc":"2.0","method":"ping","id":2}]`,
			`[null -32600, 2 ok]`, "occurs twice"},
		{"the same member in two objects", `{"jsonrpc":"2.0","method":"ping","params":{"x":{"a":1},"y":{"a":1}},"id":1}`,
			`1 ok`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := ask(n, c.body)
			if got := outline(t, body); got != c.want || !strings.Contains(string(body), c.detail) {
				t.Errorf("got  %s: %s\nwant %s with %q", got, body, c.want, c.detail)
			}
		})
	}
}

func TestIDsAreEchoedByteForByte(t *testing.T) {
	n := newManager(rpc.Options{})
	for _, id := range []string{
		`1`, `0`, `-0`, `1.5`, `1.0`, `1e2`, `1E+2`, `1e400`, `12345678901234567890`, `null`,
		`""`, `"x"`, `"é"`, `"\u00e9"`, `"a b"`, `"\ud800"`, `"<&>"`, "\"\u2028\"", `"\"\\\/"`, `"😀"`,
	} {
		for _, body := range []string{
			`{"jsonrpc":"2.0","method":"ping","id":%s}`,
			` { "id" : %s , "jsonrpc" : "2.0" , "method" : "ping" } `,
			`{"jsonrpc":"2.0","method":"league_query","params":[],"id":%s}`,
			`{"jsonrpc":"2.0","method":"fly","id":%s}`,
			`{"jsonrpc":"2.0","method":7,"id":%s}`,
		} {
			answer := ask(n, fmt.Sprintf(body, id))
			outline(t, answer)
			var got struct{ ID json.RawMessage }
			if err := json.Unmarshal(answer, &got); err != nil || id != "null" && string(got.ID) != id {
				t.Errorf("%s\ngot  id %s\nwant %s", fmt.Sprintf(body, id), got.ID, id)
			}
		}
	}
}

func TestBatchHasALimit(t *testing.T) {
	batch := func(size int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","method":"ping","id":1},`, size), ",") + "]"
	}
	n := newPlayer(rpc.Options{})
	if got := outline(t, ask(n, batch(rpc.MaxBatch))); strings.Count(got, "1 ok") != 64 {
		t.Errorf("64 requests: got %s", got)
	}
	if got := outline(t, ask(n, batch(rpc.MaxBatch+1))); got != "null -32600" {
		t.Errorf("65 requests: got %s, want one -32600", got)
	}
}

func TestRequestsAreRoutedByMessageTypeThenMethod(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"by method", `{"jsonrpc":"2.0","method":"ping","id":1}`, "PONG"},
		{"by message type",
			`{"jsonrpc":"2.0","method":"GAME_INVITATION","params":{"message_type":"GAME_INVITATION","match_id":"R1M1"},"id":1}`,
			"GAME_JOIN_ACK"},
		{"message type first",
			`{"jsonrpc":"2.0","method":"notify_match_result","params":{"message_type":"GAME_INVITATION","match_id":"R1M1"},"id":1}`,
			"GAME_JOIN_ACK"},
		{"method if the type is unknown",
			`{"jsonrpc":"2.0","method":"handle_game_invitation","params":{"message_type":"INVITE","match_id":"R1M1"},"id":1}`,
			"GAME_JOIN_ACK"},
		{"method if the type is no text", `{"jsonrpc":"2.0","method":"ping","params":{"message_type":null},"id":1}`, "PONG"},
		{"mcp_message", `{"jsonrpc":"2.0","method":"mcp_message","params":{"message_type":"PING"},"id":1}`, "PONG"},
		{"mcp_message without a type", `{"jsonrpc":"2.0","method":"mcp_message","params":{},"id":1}`,
			"E003 the field message_type is missing"},
		{"mcp_message of an unknown type", `{"jsonrpc":"2.0","method":"mcp_message","params":{"message_type":"FLY"},"id":1}`,
			`-32601 player:P01 takes no message \"FLY\"`},
		{"mcp_message for another role",
			`{"jsonrpc":"2.0","method":"mcp_message","params":{"message_type":"LEAGUE_QUERY"},"id":1}`,
			`-32601 player:P01 takes no message \"LEAGUE_QUERY\"`},
		{"method for another role", `{"jsonrpc":"2.0","method":"league_query","params":{},"id":1}`,
			`-32601 player:P01 has no method \"league_query\"`},
		{"a reply's type with a request's method",
			`{"jsonrpc":"2.0","method":"handle_game_invitation","params":{"message_type":"PONG","match_id":"R1M1"},"id":1}`,
			"E002 the method handle_game_invitation does not take a PONG"},
		{"another role's type with a method of ours",
			`{"jsonrpc":"2.0","method":"ping","params":{"message_type":"LEAGUE_QUERY","query_type":"GET_STATUS"},"id":1}`,
			"E002 the method ping does not take a LEAGUE_QUERY"},
		{"bare", `{"message_type":"PING"}`, "PONG"},
		{"bare, unknown", `{"message_type":"FLY"}`, `E002 player:P01 takes no message \"FLY\"`},
		{"bare, for another role", `{"message_type":"LEAGUE_QUERY"}`, `E002 player:P01 takes no message \"LEAGUE_QUERY\"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := string(ask(newPlayer(rpc.Options{}), c.body))
			code, detail, _ := strings.Cut(c.want, " ")
			if !strings.Contains(got, code) || !strings.Contains(got, detail) {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
			if bare := !strings.Contains(got, "jsonrpc"); bare != !strings.Contains(c.body, "jsonrpc") {
				t.Errorf("bare in and bare out: got %s", got)
			}
		})
	}
}

func TestUnknownMethodIsNamedAndCut(t *testing.T) {
	n := newPlayer(rpc.Options{})
	got := string(ask(n, `{"jsonrpc":"2.0","method":"fly_to_the_moon","id":1}`))
	if !strings.Contains(got, `fly_to_the_moon`) {
		t.Errorf("got %s, want the method's name in it", got)
	}
	got = string(ask(n, `{"jsonrpc":"2.0","method":"`+strings.Repeat("é", 10_000)+`","id":1}`))
	if len(got) > 400 || !strings.Contains(got, "éé…") {
		t.Errorf("got %d bytes, want the name cut between two letters: %.400s", len(got), got)
	}
}

func TestNotificationsAreNotAnswered(t *testing.T) {
	const envelope = `"protocol":"league.v2","sender":"player:P01","timestamp":"2025-01-15T10:30:00Z","conversation_id":"c"`
	const meta = `"player_meta":{"display_name":"A","contact_endpoint":"http://localhost:8101/mcp"}`
	for _, c := range []struct{ name, body, usual, strict string }{
		{"news", `{"jsonrpc":"2.0","method":"notify_round_completed","params":{` + envelope +
			`,"message_type":"ROUND_COMPLETED","round_id":1}}`, "nothing", "nothing"},
		{"ping", `{"jsonrpc":"2.0","method":"ping"}`, "nothing", "nothing"},
		{"register_player", `{"jsonrpc":"2.0","method":"register_player","params":{` + envelope +
			`,"message_type":"LEAGUE_REGISTER_REQUEST",` + meta + `}}`, "null ok", "nothing"},
		{"register_player without envelope", `{"jsonrpc":"2.0","method":"register_player","params":{` + meta + `}}`,
			"null ok", "nothing"},
		{"register_player, wrong", `{"jsonrpc":"2.0","method":"register_player","params":{}}`, "null -32602", "nothing"},
		{"registration by its type",
			`{"jsonrpc":"2.0","method":"mcp_message","params":{"message_type":"LEAGUE_REGISTER_REQUEST",` + meta + `}}`,
			"null ok", "nothing"},
		{"league_query", `{"jsonrpc":"2.0","method":"league_query","params":{"query_type":"GET_STATUS"}}`,
			"null ok", "nothing"},
		{"get_standings", `{"jsonrpc":"2.0","method":"get_standings"}`, "null ok", "nothing"},
		{"get_nothing", `{"jsonrpc":"2.0","method":"get_nothing"}`, "nothing", "nothing"},
		{"an id of null is an id", `{"jsonrpc":"2.0","method":"notify_round_completed","params":{` + envelope +
			`,"message_type":"ROUND_COMPLETED","round_id":1},"id":null}`, "null ok", "null ok"},
		{"unreadable", `{"jsonrpc":"2.0","method":5}`, "null -32600", "null -32600"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := outline(t, ask(newManager(rpc.Options{}), c.body)); got != c.usual {
				t.Errorf("default mode: got %s, want %s", got, c.usual)
			}
			if got := outline(t, ask(newManager(rpc.Options{Strict: true}), c.body)); got != c.strict {
				t.Errorf("strict mode: got %s, want %s", got, c.strict)
			}
		})
	}
}

func TestNotificationIsHandledAndItsErrorLogged(t *testing.T) {
	var b notebook
	heard := 0
	n := rpc.NewNode("player:P01", rpc.Options{Logger: slog.New(slog.NewTextHandler(&b, nil))})
	n.Handle(protocol.TypeGameOver, func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
		heard++
		return nil, protocol.Errorf(protocol.AuthTokenInvalid, "not tok_match_secret")
	})
	if got := ask(n, `{"jsonrpc":"2.0","method":"notify_match_result","params":{"match_id":"R1M1"}}`); got != nil ||
		heard != 1 {
		t.Errorf("got %s, heard %d times; want nothing, once", got, heard)
	}
	if log := b.log(); strings.Count(log, "AUTH_TOKEN_INVALID") != 1 || strings.Contains(log, "secret") {
		t.Errorf("log: %s\nwant the error once, without the token", log)
	}
}

func TestHandlerThatFailsIsOneAnswersFailure(t *testing.T) {
	for name, h := range map[string]rpc.Handler{
		"panic":     func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) { panic("boom") },
		"error":     refuses(errors.New("boom")),
		"no answer": refuses(nil),
		"nil message": func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
			return (*protocol.Pong)(nil), nil
		},
		"unwritable": func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
			return &protocol.ChooseParityResponse{ParityChoice: json.RawMessage("boom")}, nil
		},
		"unwritable error": refuses(protocol.Errorf(protocol.OutOfTurn, "boom").With("channel", make(chan int))),
	} {
		t.Run(name, func(t *testing.T) {
			var b notebook
			n := newPlayer(rpc.Options{Logger: slog.New(slog.NewTextHandler(&b, nil))})
			n.Handle(protocol.TypeGameInvitation, h)
			body := ask(n, `{"jsonrpc":"2.0","method":"handle_game_invitation","params":{"match_id":"R1M1"},"id":1}`)
			if got := outline(t, body); got != "1 -32603" || !strings.Contains(string(body), `"error_code":"E000"`) ||
				strings.Contains(string(body), "boom") {
				t.Errorf("got %s, want -32603, E000 and not the cause", body)
			}
			if lines := strings.Count(b.log(), "request failed"); lines != 1 {
				t.Errorf("logged %d times, want once: %s", lines, b.log())
			}
			if got := outline(t, ask(n, `{"jsonrpc":"2.0","method":"ping","id":2}`)); got != "2 ok" {
				t.Errorf("afterwards: got %s, want an answer", got)
			}
		})
	}
}

func TestCallerThatHasGoneIsNoError(t *testing.T) {
	var b notebook
	n := newPlayer(rpc.Options{Logger: slog.New(slog.NewTextHandler(&b, nil))})
	n.Handle(protocol.TypeGameInvitation, func(ctx context.Context, _ rpc.From, _ protocol.Message) (
		protocol.Message, error) {
		return nil, context.Cause(ctx)
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n.Answer(ctx, rpc.From{},
		[]byte(`{"jsonrpc":"2.0","method":"handle_game_invitation","params":{"match_id":"R1M1"},"id":1}`))
	if log := b.log(); log != "" {
		t.Errorf("logged %s", log)
	}
}
