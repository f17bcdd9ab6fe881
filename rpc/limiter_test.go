package rpc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// codeOf returns the code of the error in an answer, or "".
func codeOf(answer []byte) string {
	var a struct {
		Error struct {
			Code      int    `json:"code"`
			ErrorCode string `json:"error_code"`
		} `json:"error"`
	}
	_ = json.Unmarshal(answer, &a)
	if a.Error.ErrorCode == "" && a.Error.Code != 0 {
		return fmt.Sprint(a.Error.Code)
	}
	return a.Error.ErrorCode
}

// flood sends the same request many times and counts the answers by their code.
func flood(n *rpc.Node, addr, body string, times int) map[string]int {
	codes := map[string]int{}
	for range times {
		codes[codeOf(n.Answer(context.Background(), rpc.From{Addr: addr}, []byte(body)))]++
	}
	return codes
}

const pinging = `{"jsonrpc":"2.0","method":"ping","params":{},"id":1}`

func TestFloodIsRefusedByAddressAndPassesInTime(t *testing.T) {
	for name, c := range map[string]struct{ body, code string }{
		"no JSON":           {`{"jsonrpc`, "-32700"},
		"no request":        {`7`, "-32600"},
		"an unknown method": {`{"jsonrpc":"2.0","method":"fly","id":1}`, "-32601"},
		"a bad message":     {`{"jsonrpc":"2.0","method":"ping","params":{"protocol":"league.v9"},"id":1}`, "E018"},
		"a bare message":    {`{"message_type":"FLY"}`, ""},
		"a forged answer": {
			`{"jsonrpc":"2.0","method":"x","params":{"message_type":"GAME_JOIN_ACK","match_id":"R1M1","player_id":"P01","accept":true},"id":1}`,
			"E008",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := rpc.NewNode("referee:REF01", rpc.Options{Limits: rpc.Limits{Failed: 10, Open: -1}})
				got := flood(n, "192.0.2.1", c.body, 100)
				if c.code != "" && (got[c.code] != 20 || got["E010"] != 80) {
					t.Errorf("got %v, want 20 answered and 80 too many", got)
				}
				if got := flood(n, "192.0.2.1", pinging, 100); got[""] != 100 {
					t.Errorf("what is right passes from the same address: got %v", got)
				}
				if got := flood(n, "192.0.2.2", c.body, 20); got["E010"] != 0 {
					t.Errorf("another address has its own count: got %v", got)
				}
				time.Sleep(time.Second)
				if got := flood(n, "192.0.2.1", c.body, 11); c.code != "" && got["E010"] != 1 {
					t.Errorf("a second later: got %v, want 10 answered", got)
				}
			})
		})
	}
}

func TestQuestionsThatNeedNoTokenAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := rpc.NewNode("referee:REF01", rpc.Options{Limits: rpc.Limits{Open: 5}})
		if got := flood(n, "192.0.2.1", pinging, 50); got[""] != 10 || got["E010"] != 40 {
			t.Errorf("got %v, want 10 answered and 40 too many", got)
		}
		batch := "[" + strings.TrimSuffix(strings.Repeat(pinging+",", 64), ",") + "]"
		answer := n.Answer(t.Context(), rpc.From{Addr: "192.0.2.3"}, []byte(batch))
		if got := strings.Count(string(answer), `"RATE_LIMITED","error_name"`) +
			strings.Count(string(answer), `"error_code":"E010","error_description"`); got < 54 {
			t.Errorf("a batch counts by its requests: %d of 64 were too many", got)
		}
		none := rpc.NewNode("referee:REF01", rpc.Options{Limits: rpc.Limits{Open: -1}})
		if got := flood(none, "192.0.2.1", pinging, 1000); got[""] != 1000 {
			t.Errorf("without a limit: got %v", got)
		}
	})
}

func TestAddressesOfOneNetworkCountAsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := rpc.NewNode("referee:REF01", rpc.Options{Limits: rpc.Limits{Open: 5}})
		refused := 0
		for i := range 50 {
			refused += flood(n, fmt.Sprintf("2001:db8:0:1::%x", i), pinging, 1)["E010"]
		}
		if refused != 40 {
			t.Errorf("%d of 50 were too many, want 40", refused)
		}
		if got := flood(n, "2001:db8:0:2::1", pinging, 1); got["E010"] != 0 {
			t.Errorf("another network: got %v", got)
		}
	})
}

func TestLimiterForgetsThoseWhoCameFirst(t *testing.T) {
	l := rpc.NewLimiter(0.001)
	if !l.Allow("first") || l.Allow("first") {
		t.Fatal("want one and no more")
	}
	for i := range rpc.MaxBuckets {
		l.Allow(fmt.Sprint(i))
	}
	if got := l.Len(); got != rpc.MaxBuckets {
		t.Errorf("it remembers %d, want %d", got, rpc.MaxBuckets)
	}
	if !l.Allow("first") {
		t.Error("who was forgotten starts anew")
	}
}

func TestOurAgentsTryAgainWhenTheyCameTooOften(t *testing.T) {
	var asked atomic.Int64
	n := rpc.NewNode("referee:REF01", rpc.Options{Limits: rpc.Limits{Open: 1000}})
	n.HandleOpen(protocol.TypePing, func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
		if asked.Add(1) < 3 {
			return nil, rpc.TooMany("requests")
		}
		return &protocol.Pong{Envelope: protocol.Envelope{MessageType: protocol.TypePong}, Status: "ok"}, nil
	})
	s := httptest.NewServer(http.Handler(n))
	defer s.Close()
	caller := rpc.NewNode("player:P01", rpc.Options{})
	reply, err := caller.CallUntil(t.Context(), rpc.Peer{Endpoint: s.URL + "/mcp", Dialect: protocol.Canonical},
		time.Millisecond, ping())
	if got := outcome(reply, err); got != "PONG" || asked.Load() != 3 {
		t.Errorf("got %s after %d calls, want PONG after 3", got, asked.Load())
	}
}

func BenchmarkLimiter(b *testing.B) {
	l := rpc.NewLimiter(1e9)
	b.ReportAllocs()
	for b.Loop() {
		if !l.Allow("P01") {
			b.Fatal("refused")
		}
	}
}

// A flood of messages that are refused does not fill a log.
func TestFloodIsNotToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		n := rpc.NewNode("referee:REF01", rpc.Options{Limits: rpc.Limits{Failed: 10, Open: -1}, Observe: func(rpc.Message) {
			told++
		}})
		const forged = `{"jsonrpc":"2.0","method":"x","params":{"message_type":"GAME_JOIN_ACK","match_id":"R1M1","player_id":"P01","accept":true},"id":1}`
		flood(n, "192.0.2.1", forged, 1000)
		if told > 50 { // 20 came and 20 went; the next shows that there are too many
			t.Errorf("%d messages of a flood were told of", told)
		}
		told = 0
		flood(n, "192.0.2.1", pinging, 10)
		if told != 20 {
			t.Errorf("%d messages were told of that passed in between, want 20", told)
		}
	})
}
