package rpc_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"agentleague/protocol"
	"agentleague/rpc"
)

// public is a node that has a public address and stores the origin of the last request.
type public struct {
	*rpc.Node
	from string
}

func newPublic(limits rpc.Limits) *public {
	p := &public{}
	p.Node = rpc.NewNode(protocol.Manager, rpc.Options{Public: "https://league.example.org", Hosts: []string{"league.example.org"},
		Limits: limits})
	p.Handle(protocol.TypeLeagueQuery, func(_ context.Context, f rpc.From, _ protocol.Message) (protocol.Message, error) {
		p.from = f.Addr
		return nil, protocol.Errorf(protocol.AuthTokenMissing, "not you")
	})
	return p
}

// ask asks from an address, by a host and with headers, and returns the answer.
func (p *public) ask(addr, host string, header http.Header) string {
	p.from = ""
	r := httptest.NewRequest(http.MethodPost, "/mcp",
		strings.NewReader(`{"jsonrpc":"2.0","method":"league_query","params":{"query_type":"GET_STANDINGS"},"id":1}`))
	r.RemoteAddr, r.Host, r.Header = addr, host, header
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Body.String()
}

// TestOutsidersAreToldApartByWhatATrustedProxyWrote covers all writers of proxy headers.
func TestOutsidersAreToldApartByWhatATrustedProxyWrote(t *testing.T) {
	t.Parallel()
	const here, host = "127.0.0.1:5000", "league.example.org"
	for _, c := range []struct {
		why, addr, host string
		xff, forwarded  []string
		want            string
	}{
		{"a proxy here", here, host, []string{"192.0.2.7"}, nil, "outside 192.0.2.7"},
		{"a proxy here, by IPv6", "[::1]:5000", host, []string{"192.0.2.7"}, nil, "outside 192.0.2.7"},
		{"with a port", here, host, []string{"192.0.2.7:4711"}, nil, "outside 192.0.2.7"},
		{"IPv6", here, host, []string{"2001:db8::7"}, nil, "outside 2001:db8::7"},
		{"the other header", here, host, nil, []string{`for=192.0.2.7;proto=https;by=203.0.113.43`}, "outside 192.0.2.7"},
		{"the other header, IPv6", here, host, nil, []string{`For="[2001:db8::7]:4711"`}, "outside 2001:db8::7"},
		{"both, the same", here, host, []string{"192.0.2.7"}, []string{"for=192.0.2.7"}, "outside 192.0.2.7"},
		{"forged before the proxy's", here, host, []string{"10.9.9.9, 192.0.2.7"}, nil, "outside 192.0.2.7"},
		{"forged in a line of its own", here, host, []string{"10.9.9.9", "192.0.2.7"}, nil, "outside 192.0.2.7"},
		{"two proxies here", here, host, []string{"10.9.9.9, 192.0.2.7, 127.0.0.1"}, nil, "outside 192.0.2.7"},
		{"forged as this machine", here, host, []string{"127.0.0.1"}, nil, "outside"},
		{"forged as this machine before", here, host, []string{"127.0.0.1, 192.0.2.7"}, nil, "outside 192.0.2.7"},
		{"the other header forged", here, host, []string{"192.0.2.7"}, []string{"for=10.9.9.9"}, "outside"},
		{"no address", here, host, []string{"10.9.9.9, unknown"}, nil, "outside"},
		{"a hidden one", here, host, nil, []string{"for=10.9.9.9, for=_hidden"}, "outside"},
		{"no header", here, host, nil, nil, "outside"},
		{"an empty one", here, host, []string{""}, nil, "outside"},
		{"nonsense", here, host, []string{strings.Repeat(",", 5000)}, []string{";;==,"}, "outside"},
		{"too many hops", here, host, []string{"192.0.2.7" + strings.Repeat(", 127.0.0.1", 50)}, nil, "outside"},
		{"not from a trusted proxy", "203.0.113.5:5000", host, []string{"192.0.2.7"}, nil, "outside"},
		{"not by the public address", here, "localhost:8000", []string{"192.0.2.7"}, nil, "127.0.0.1"},
	} {
		p := newPublic(rpc.Limits{})
		if p.ask(c.addr, c.host, http.Header{"X-Forwarded-For": c.xff, "Forwarded": c.forwarded}); p.from != c.want {
			t.Errorf("%s: got %q, want %q", c.why, p.from, c.want)
		}
	}
}

// TestOneOutsiderDoesNotUseUpWhatOthersMayAsk floods a public address, from one client and from many.
func TestOneOutsiderDoesNotUseUpWhatOthersMayAsk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // in a bubble where no time passes
		p := newPublic(rpc.Limits{Failed: 1})
		by := func(format string, n int) string {
			return p.ask("127.0.0.1:5000", "league.example.org", http.Header{"X-Forwarded-For": {fmt.Sprintf(format, n)}})
		}
		limited := func(answer string) bool { return strings.Contains(answer, protocol.RateLimited.Code) }
		for range 10 {
			by("192.0.2.%d", 7)
		}
		if !limited(by("192.0.2.%d", 7)) || limited(by("192.0.2.%d", 8)) {
			t.Error("one who floods is not refused, or another is with it")
		}
		for n := range 10 {
			by("2001:db8::%d", n)
		}
		if !limited(by("2001:db8::%d", 99)) {
			t.Error("addresses of one network are counted apart")
		}
		let := 0
		for n := range 200 {
			if !limited(by("198.51.100.%d", n)) {
				let++
			}
		}
		if let == 0 || let > 30 {
			t.Errorf("%d of 200 with addresses of their own are let through at once, want 20 or so", let)
		}
	})
}
