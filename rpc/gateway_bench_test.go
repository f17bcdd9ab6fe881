package rpc_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// A race is two nodes that answer the same calls over HTTP: one speaks MCP as
// well, one does not.
type race struct {
	client *rpc.Node
	urls   [2]string
}

func newRace(t testing.TB) *race {
	r := &race{client: rpc.NewNode("referee:REF01", rpc.Options{})}
	for i := range r.urls {
		n := newPlayer(rpc.Options{})
		n.MCP() // it is there, and not only could be
		var h http.Handler = n
		if i == 1 {
			h = http.HandlerFunc(n.ServePlain)
		}
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		r.urls[i] = server.URL + "/mcp"
	}
	return r
}

// run makes calls to one of the two and returns how long they took.
func (r *race) run(t testing.TB, which, calls int) time.Duration {
	peer := rpc.Peer{Endpoint: r.urls[which], Dialect: protocol.Canonical}
	start := time.Now()
	for i := range calls {
		_, err := r.client.Call(context.Background(), peer, &protocol.GameInvitation{Envelope: protocol.Envelope{
			MessageType: protocol.TypeGameInvitation, ConversationID: fmt.Sprint("conv-", i), MatchID: "R1M1",
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	return time.Since(start)
}

// ratio runs both in turns, so that whatever else the machine does meets both,
// and returns the middle of how much longer the one with MCP takes.
func (r *race) ratio(t testing.TB, turns, calls int) float64 {
	r.run(t, 0, calls)
	r.run(t, 1, calls)
	var ratios []float64
	for turn := range turns {
		first := turn % 2
		var took [2]time.Duration
		took[first] = r.run(t, first, calls)
		took[1-first] = r.run(t, 1-first, calls)
		ratios = append(ratios, float64(took[0])/float64(took[1]))
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

// BenchmarkLeagueFaceBesideMCP reports how much longer a call of league.v2 takes
// at an endpoint that speaks MCP as well; 1 is no longer at all.
func BenchmarkLeagueFaceBesideMCP(b *testing.B) {
	r := newRace(b)
	b.ResetTimer()
	b.ReportMetric(r.ratio(b, 101, max(b.N/202, 1)), "with/without")
}

func TestLeagueFaceIsAsFastBesideMCP(t *testing.T) {
	ratio := newRace(t).ratio(t, 101, 20)
	t.Logf("with MCP a call takes %.3f of its time without", ratio)
	if ratio > 1.15 {
		t.Errorf("with MCP a call takes %.2f of its time without", ratio)
	}
}
