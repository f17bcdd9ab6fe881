package rpc_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// A count counts exchanges by their outcome.
type count struct {
	mu   sync.Mutex
	rows []string
}

func (c *count) add(t protocol.Type, outcome string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rows = append(c.rows, strings.TrimSpace(string(t)+" "+outcome))
}

// told returns the counts since the previous call.
func (c *count) told() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	rows := c.rows
	c.rows = nil
	return strings.Join(rows, ", ")
}

func TestEveryRequestIsServedOnceWithItsOutcome(t *testing.T) {
	var c count
	n := newManager(rpc.Options{Served: c.add})
	n.Handle(protocol.TypeGetStandings, refuses(protocol.Errorf(protocol.AuthTokenInvalid, "no")))
	n.Handle(protocol.TypeGetGames, refuses(errors.New("broken")))
	n.Handle(protocol.TypeGetLeagueStatus, refuses(protocol.Errorf(&protocol.Kind{Code: "E999", Name: "MINE"}, "no")))
	for _, r := range []struct{ body, want string }{
		{pingBody, "PING ok"},
		{`{"jsonrpc":"2.0","method":"ping"}`, "PING ok"},
		{`{"message_type":"PING"}`, "PING ok"},
		{`{"jsonrpc":"2.0","method":"mcp_message","params":{"message_type":"PING"},"id":1}`, "PING ok"},
		{`{"jsonrpc":"2.0","method":"league_query","params":{},"id":1}`, "LEAGUE_QUERY E003"},
		{`{"jsonrpc":"2.0","method":"notify_round_completed","params":{}}`, "ROUND_COMPLETED E003"},
		{`{"jsonrpc":"2.0","method":"get_standings","id":1}`, "GET_STANDINGS E012"},
		{`{"jsonrpc":"2.0","method":"get_games","id":1}`, "GET_GAMES E000"},
		{`{"jsonrpc":"2.0","method":"get_league_status","id":1}`, "GET_LEAGUE_STATUS E000"},
		{`{"jsonrpc":"2.0","method":"start_match","id":1}`, "-32601"}, // a referee's
		{`{"jsonrpc":"2.0","method":"fly","id":1}`, "-32601"},
		{`{"jsonrpc":"2.0","method":"fly"}`, "-32601"},
		{`{"jsonrpc":"2.0","method":"mcp_message","params":{"message_type":"FLY"},"id":1}`, "-32601"},
		{`{"jsonrpc":"2.0","method":"mcp_message","params":{},"id":1}`, "E003"},
		{`{"message_type":"FLY"}`, "E002"},
		{`{"jsonrpc":"1.0","method":"ping","id":1}`, "-32600"},
		{`{`, "-32700"},
		{`[]`, "-32600"},
		{`[` + pingBody + `,5,` + pingBody + `]`, "PING ok, -32600, PING ok"},
	} {
		ask(n, r.body)
		if got := c.told(); got != r.want {
			t.Errorf("%s: told %q, want %q", r.body, got, r.want)
		}
	}
}

func TestRequestOfACallerThatHasGoneIsCancelled(t *testing.T) {
	var c count
	n := newPlayer(rpc.Options{Served: c.add})
	n.Handle(protocol.TypePing, func(ctx context.Context, _ rpc.From, _ protocol.Message) (protocol.Message, error) {
		return nil, context.Cause(ctx)
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n.Answer(ctx, rpc.From{}, []byte(pingBody))
	if got := c.told(); got != "PING cancelled" {
		t.Errorf("told %q, want PING cancelled", got)
	}
}

func TestEveryCallIsToldOnceWithItsOutcome(t *testing.T) {
	for _, r := range []struct{ name, body, want string }{
		{"answer", `{"jsonrpc":"2.0","result":{"message_type":"PONG","status":"ok"},"id":1}`, "PING ok"},
		{"error of the table", `{"jsonrpc":"2.0","error":{"code":1,"message":"AUTH_TOKEN_INVALID"},"id":1}`, "PING E012"},
		{"error of JSON-RPC", `{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}`, "PING -32601"},
		{"error of its own", `{"jsonrpc":"2.0","error":{"code":77,"message":"moody"},"id":1}`, "PING refused"},
		{"nonsense", `hello`, "PING E002"},
	} {
		t.Run(r.name, func(t *testing.T) {
			var c count
			n := rpc.NewNode("referee:REF01", rpc.Options{Called: c.add})
			_, _ = n.Call(t.Context(), answering(t, 200, r.body), ping())
			if got := c.told(); got != r.want {
				t.Errorf("told %q, want %q", got, r.want)
			}
		})
	}
}

func TestCallThatIsNotHeardIsToldWhy(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
		var c count
		_, a := w.boot("A", rpc.Options{Called: c.add})
		b, n := w.boot("B", rpc.Options{})
		n.Handle(protocol.TypePing, func(ctx context.Context, _ rpc.From, _ protocol.Message) (protocol.Message, error) {
			return nil, n.Sleep(b.Context(), "silent", time.Hour)
		})
		n.Handle(protocol.TypeGameInvitation, acknowledges(protocol.TypeAnswerAck))
		_, _ = a.Call(t.Context(), at("nobody"), ping())
		_, _ = a.Call(t.Context(), at("B"), ping())
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _ = a.Sleep(t.Context(), "patience", time.Second); cancel() }()
		_, _ = a.Call(ctx, at("B"), ping())
		go func() {
			_ = n.Sleep(b.Context(), "thinking", time.Second)
			_, _, _ = b.Post(b.Context(), at("A").Endpoint, "join",
				[]byte(`{"message_type":"GAME_JOIN_ACK","match_id":"R1M1","conversation_id":"conv-test","accept":true}`))
		}()
		ctx, e := expect(t, a, rpc.Want{})
		defer e.Close()
		_, _ = a.Call(ctx, at("B"), invitation())
		if got, want := c.told(), "PING E009, PING E001, PING cancelled, GAME_INVITATION ok"; got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	})
}

func TestOutcomesAreAllThereAre(t *testing.T) {
	all := rpc.Outcomes()
	for _, want := range []string{rpc.OK, rpc.Refused, rpc.Cancelled, "E000", "E031", "-32601", "-32700"} {
		if !slices.Contains(all, want) {
			t.Errorf("%s is not among %v", want, all)
		}
	}
	codes := map[string]bool{} // one of them has two rows
	for _, k := range protocol.Kinds {
		codes[k.Code] = true
	}
	if got, want := len(all), len(codes)+5+3; got != want {
		t.Errorf("there are %d outcomes, want %d codes, 5 numbers and 3 words: %v", got, len(codes), all)
	}
}
