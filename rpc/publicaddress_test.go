package rpc_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agentleague/protocol"
	"agentleague/rpc"
)

// A client of the public address is external, even if a proxy on this machine makes the connection.
func TestWhoComesByThePublicAddressIsOutside(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ public, host, want string }{
		{"https://league.example.org", "league.example.org", rpc.Outsider + " 192.0.2.1"},
		{"https://league.example.org", "League.Example.org:443", rpc.Outsider + " 192.0.2.1"},
		{"https://league.example.org:443/spring", "league.example.org", rpc.Outsider + " 192.0.2.1"},
		{"https://league.example.org:8443", "league.example.org:8443", rpc.Outsider + " 192.0.2.1"},
		{"https://league.example.org", "league.example.org:8000", "127.0.0.1"}, // not through the proxy
		{"https://league.example.org", "localhost:8000", "127.0.0.1"},
		{"http://localhost:8000", "localhost:8000", "127.0.0.1"},
		{"", "localhost", "127.0.0.1"},
	} {
		n := rpc.NewNode(protocol.Manager, rpc.Options{Public: c.public, Hosts: []string{"league.example.org"}})
		var from rpc.From
		n.Handle(protocol.TypeLeagueQuery, func(_ context.Context, f rpc.From, _ protocol.Message) (protocol.Message, error) {
			from = f
			return nil, protocol.Errorf(protocol.AuthTokenMissing, "not you")
		})
		s := httptest.NewServer(n)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/mcp",
			strings.NewReader(`{"jsonrpc":"2.0","method":"league_query","params":{"query_type":"GET_STANDINGS"},"id":1}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = c.host
		r.Header.Set("X-Forwarded-For", "192.0.2.1")
		answer, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		s.Close()
		if from.Addr != c.want {
			t.Errorf("%s by %s: got %q (%s), want %q", c.host, c.public, from.Addr, answer.Status, c.want)
		}
		if outside := strings.HasPrefix(from.Addr, rpc.Outsider); n.ComesFrom(t.Context(), from, "http://localhost:8001/mcp") == outside {
			t.Errorf("%s by %s: it passes for an agent of this machine", c.host, c.public)
		}
	}
}

func TestClientKeyIsTheAddressThatLimitsCount(t *testing.T) {
	for _, c := range []struct{ host, remote, forwarded, want string }{
		{"localhost:8000", "192.0.2.7:99", "10.0.0.1", "192.0.2.7"},
		{"localhost:8000", "[2001:db8:0:1:2::3]:99", "", "2001:db8:0:1::"},
		{"league.example.org", "127.0.0.1:99", "192.0.2.7", "outside 192.0.2.7"},
		{"league.example.org", "203.0.113.1:99", "192.0.2.7", "outside"}, // no proxy of this machine
	} {
		r := httptest.NewRequest(http.MethodPost, "http://"+c.host+"/login", nil)
		r.RemoteAddr = c.remote
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := rpc.ClientKey("https://league.example.org/spring", r); got != c.want {
			t.Errorf("%+v: got %q", c, got)
		}
	}
}
