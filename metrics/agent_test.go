package metrics_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"sync"
	"testing"

	"agentleague/metrics"
	"agentleague/metrics/metricstest"
	"agentleague/protocol"
	"agentleague/rpc"
)

// figures returns the metrics of an agent.
func figures(t *testing.T, a *metrics.Agent) metricstest.Samples {
	t.Helper()
	w := httptest.NewRecorder()
	a.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	out, err := metricstest.Read(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// check compares some figures.
func check(t *testing.T, got metricstest.Samples, want map[string]float64) {
	t.Helper()
	for row, n := range want {
		if value, ok := got[row]; !ok || value != n {
			t.Errorf("%s: got %v, %v; want %v", row, value, ok, n)
		}
	}
}

func ask(n *rpc.Node, body string) { n.Answer(context.Background(), rpc.From{}, []byte(body)) }

const ping = `{"jsonrpc":"2.0","method":"ping","id":1}`

func TestRequestsAndCallsAreCountedByTypeAndOutcome(t *testing.T) {
	a := metrics.New()
	n := rpc.NewNode("player:P01", a.Watch(rpc.Options{}))
	server := httptest.NewServer(n)
	defer server.Close()
	for range 3 {
		ask(n, ping)
	}
	ask(n, `{`)
	peer := rpc.Peer{Endpoint: server.URL + "/mcp", Dialect: protocol.Canonical}
	for _, m := range []protocol.Message{
		&protocol.Tool{Envelope: protocol.Envelope{MessageType: protocol.TypePing}},
		&protocol.Tool{Envelope: protocol.Envelope{MessageType: protocol.TypeGetMatchState}},
	} {
		_, _ = n.Call(t.Context(), peer, m)
	}
	got := metricstest.Get(t, peer.Endpoint)
	check(t, got, map[string]float64{
		`league_requests_total{message_type="PING",outcome="ok"}`:             4,
		`league_requests_total{message_type="other",outcome="-32700"}`:        1,
		`league_requests_total{message_type="other",outcome="-32601"}`:        1,
		`league_calls_total{message_type="PING",outcome="ok"}`:                1,
		`league_calls_total{message_type="GET_MATCH_STATE",outcome="-32601"}`: 1,
	})
	if got["go_goroutines"] == 0 || got["process_start_time_seconds"] == 0 {
		t.Error("the figures of Go or of the process are missing")
	}
}

func TestEachAgentHasItsOwnFigures(t *testing.T) {
	one, two := metrics.New(), metrics.New()
	ask(rpc.NewNode("player:P01", one.Watch(rpc.Options{})), ping)
	ask(rpc.NewNode("player:P02", two.Watch(rpc.Options{})), ping)
	ask(rpc.NewNode("player:P02", two.Watch(rpc.Options{})), ping)
	check(t, figures(t, one), map[string]float64{`league_requests_total{message_type="PING",outcome="ok"}`: 1})
	check(t, figures(t, two), map[string]float64{`league_requests_total{message_type="PING",outcome="ok"}`: 2})
}

func TestRandomNamesAddNoRows(t *testing.T) {
	a := metrics.New()
	n := rpc.NewNode("player:P01", a.Watch(rpc.Options{Limits: rpc.Limits{Failed: -1}}))
	for range 1000 {
		name := fmt.Sprintf("%x", rand.Uint64())
		ask(n, `{"jsonrpc":"2.0","method":"`+name+`","id":1}`)
		ask(n, `{"jsonrpc":"2.0","method":"`+name+`"}`)
		ask(n, `{"jsonrpc":"2.0","method":"mcp_message","params":{"message_type":"`+name+`"},"id":1}`)
		ask(n, `{"message_type":"`+name+`"}`)
	}
	got := figures(t, a)
	check(t, got, map[string]float64{
		`league_requests_total{message_type="other",outcome="-32601"}`: 3000,
		`league_requests_total{message_type="other",outcome="E002"}`:   1000,
	})
	if rows := got.Rows("league_requests_total"); rows != 2 {
		t.Errorf("there are %d rows, want 2", rows)
	}
}

func TestRandomErrorsOfAPeerAddNoRows(t *testing.T) {
	a := metrics.New()
	moody := &grumbler{}
	n := rpc.NewNode("referee:REF01", a.Watch(rpc.Options{Network: moody}))
	for range 1000 {
		_, _ = n.Call(t.Context(), rpc.Peer{Endpoint: "http://moody/mcp", Dialect: protocol.Canonical},
			&protocol.Tool{Envelope: protocol.Envelope{MessageType: protocol.TypePing}})
	}
	got := figures(t, a)
	check(t, got, map[string]float64{`league_calls_total{message_type="PING",outcome="refused"}`: 1000})
	if rows := got.Rows("league_calls_total"); rows != 1 {
		t.Errorf("there are %d rows, want 1", rows)
	}
}

// A grumbler is a network whose only agent answers with another error each time.
type grumbler struct {
	rpc.HTTP
	n int
}

func (g *grumbler) Post(context.Context, string, string, []byte) (int, []byte, error) {
	g.n++
	return 200, fmt.Appendf(nil, `{"jsonrpc":"2.0","error":{"code":%d,"message":"MOOD_%d"},"id":1}`, g.n, g.n), nil
}

func TestCountingTakesNoMemory(t *testing.T) {
	o := metrics.New().Watch(rpc.Options{})
	o.Served(protocol.TypePing, rpc.OK)
	if n := testing.AllocsPerRun(1000, func() { o.Served(protocol.TypePing, rpc.OK) }); n != 0 {
		t.Errorf("got %v allocations a request, want none", n)
	}
}

func TestManyCountAtOnce(t *testing.T) {
	a := metrics.New()
	o := a.Watch(rpc.Options{})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, outcome := range rpc.Outcomes() {
				o.Served(protocol.TypePing, outcome)
				o.Served("", outcome)
			}
		})
	}
	all.Wait()
	got := figures(t, a)
	if sum, rows := got.Sum("league_requests_total"), got.Rows("league_requests_total"); sum != float64(
		16*len(rpc.Outcomes())) || rows != 2*len(rpc.Outcomes()) {
		t.Errorf("counted %v in %d rows, want %d in %d", sum, rows, 16*len(rpc.Outcomes()), 2*len(rpc.Outcomes()))
	}
}

func BenchmarkCount(b *testing.B) {
	o := metrics.New().Watch(rpc.Options{})
	b.ReportAllocs()
	for b.Loop() {
		o.Served(protocol.TypeChooseParityCall, rpc.OK)
	}
}
