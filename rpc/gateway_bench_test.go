package rpc_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// A race is two nodes that answer the same calls over HTTP: one with MCP, one without.
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
			MessageType: protocol.TypeGameInvitation, ConversationID: fmt.Sprint("conv-", i), LeagueID: "league", RoundID: 1,
			MatchID: "R1M1",
		}, GameType: "even_odd", RoleInMatch: "PLAYER_A", OpponentID: "P02", PlayerID: "P01", Attempt: 1})
		if err != nil {
			t.Fatal(err)
		}
	}
	return time.Since(start)
}

// ratio runs both in turns, so that other load affects both, and compares the fastest turns of each, which it affects
// least.
func (r *race) ratio(t testing.TB, turns, calls int) float64 {
	best := [2]time.Duration{time.Hour, time.Hour}
	for turn := range 2 * turns {
		for _, which := range [2]int{turn % 2, 1 - turn%2} {
			best[which] = min(best[which], r.run(t, which, calls))
		}
	}
	return float64(best[0]) / float64(best[1])
}

// BenchmarkLeagueFaceBesideMCP reports the relative duration of a league.v2 call at an endpoint with MCP; 1 is equal.
func BenchmarkLeagueFaceBesideMCP(b *testing.B) {
	r := newRace(b)
	b.ResetTimer()
	b.ReportMetric(r.ratio(b, 100, max(b.N/400, 1)), "with/without")
}
