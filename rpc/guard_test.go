package rpc_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

func guard(t testing.TB, networks ...string) (g rpc.Guard) {
	t.Helper()
	for _, text := range networks {
		p, err := rpc.ParseNetwork(text)
		if err != nil {
			t.Fatal(err)
		}
		g.Allow = append(g.Allow, p)
	}
	return g
}

func TestGuardLetsThisMachineBeCalledAndWhatIsAllowed(t *testing.T) {
	class := []string{"192.168.1.0/24", "2001:db8::/32", "10.0.0.7"}
	for _, c := range []struct {
		addr          string
		plain, opened bool // may be called by the zero guard, and with the networks above
	}{
		{"127.0.0.1", true, true},
		{"127.8.9.10", true, true},
		{"::1", true, true},
		{"::ffff:127.0.0.1", true, true},
		{"192.168.1.20", false, true},
		{"::ffff:192.168.1.20", false, true},
		{"192.168.2.20", false, false},
		{"10.0.0.7", false, true},
		{"10.0.0.8", false, false},
		{"2001:db8::7", false, true},
		{"2001:db8::7%eth0", false, true},
		{"8.8.8.8", false, false},
		{"100.64.0.1", false, false},
	} {
		addr := netip.MustParseAddr(c.addr)
		for g, want := range map[*rpc.Guard]bool{
			{}: c.plain, {Allow: guard(t, class...).Allow}: c.opened, &rpc.Anywhere: true,
		} {
			if err := g.Check(addr); (err == nil) != want {
				t.Errorf("%s with %v: got %v, want called %v", c.addr, g.Allow, err, want)
			}
		}
	}
	hint := func(network netip.Prefix) string { return "open " + network.String() }
	err := rpc.Guard{Hint: hint}.Check(netip.MustParseAddr("192.168.1.20"))
	if err == nil || !strings.Contains(err.Error(), "may not be called; open 192.168.1.20/32") {
		t.Errorf("got %v, want what to do", err)
	}
}

// neverCalled are addresses behind which no agent is, in every form that there is.
var neverCalled = []string{
	"0.0.0.0", "0.1.2.3", "::", "255.255.255.255", "224.0.0.1", "239.255.255.250", "ff02::1",
	"169.254.0.1", "169.254.169.254", "169.254.170.2", "fe80::1", "fe80::1%eth0", "febf::1",
	"fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "168.63.129.16", "192.0.0.192",
	"::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "::ffff:100.100.100.200", "::ffff:0.0.0.0", "::ffff:224.0.0.1",
	"::169.254.169.254", "::ffff:0:169.254.169.254", "64:ff9b::169.254.169.254", "64:ff9b:1::169.254.169.254",
	"64:ff9b:1:a9fe:a9:fe00::", "2002:a9fe:a9fe::1", "2001:0:a9fe:a9fe::", "2001::5601:5601",
}

func TestWhatIsNeverCalledIsNotEvenIfItIsAllowed(t *testing.T) {
	wide := guard(t, "0.0.0.0/0", "::/0", "168.63.0.0/16", "fd00::/8")
	for _, text := range neverCalled {
		if err := wide.Check(netip.MustParseAddr(text)); !errors.As(err, new(*rpc.NotAllowed)) {
			t.Errorf("%s: got %v, want a refusal", text, err)
		}
	}
	if err := wide.Check(netip.Addr{}); err == nil {
		t.Error("no address at all may be called")
	}
}

func TestNetworksAreRead(t *testing.T) {
	for text, want := range map[string]string{
		"192.168.1.0/24":         "192.168.1.0/24",
		"192.168.1.77/24":        "192.168.1.0/24",
		"10.0.0.7":               "10.0.0.7/32",
		"::ffff:10.0.0.0/104":    "10.0.0.0/8",
		"2001:db8::/32":          "2001:db8::/32",
		"0.0.0.0/0":              "0.0.0.0/0",
		"192.168.1.0/33":         "",
		"192.168.1/24":           "",
		"teacher.local":          "",
		"":                       "",
		"::ffff:0:0/90":          "",
		"169.254.0.0/16":         "",
		"169.254.169.254":        "",
		"::ffff:169.254.0.0/112": "",
		"224.0.0.0/8":            "",
		"fe80::/64":              "",
	} {
		got, err := rpc.ParseNetwork(text)
		if (err == nil) != (want != "") || err == nil && got.String() != want {
			t.Errorf("%q: got %v, %v, want %q", text, got, err, want)
		}
	}
}

func FuzzGuard(f *testing.F) {
	for _, a := range append(neverCalled, "127.0.0.1", "::1", "8.8.8.8", "2001:db8::1") {
		b := netip.MustParseAddr(a).As16()
		f.Add(b[:], "0.0.0.0/0")
	}
	f.Add([]byte{10, 0, 0, 1}, "10.0.0.0/8")
	f.Fuzz(func(t *testing.T, raw []byte, network string) {
		a, ok := netip.AddrFromSlice(raw)
		if !ok {
			return
		}
		var g rpc.Guard
		if p, err := rpc.ParseNetwork(network); err == nil {
			g.Allow = append(g.Allow, p)
		}
		opened, plain := g.Check(a) == nil, rpc.Guard{}.Check(a) == nil
		if plain != a.Unmap().IsLoopback() {
			t.Fatalf("%s: called %v without leave", a, plain)
		}
		if (g.Check(a.Unmap()) == nil) != opened {
			t.Fatalf("%s: its mapped form is judged otherwise", a)
		}
		bare := a.Unmap()
		if opened && (bare.IsLinkLocalUnicast() || bare.IsMulticast() || bare.IsUnspecified()) {
			t.Fatalf("%s may be called", a)
		}
		if opened && !plain && !g.Allow[0].Contains(bare) {
			t.Fatalf("%s may be called though it is not in %s", a, g.Allow[0])
		}
	})
}

func BenchmarkGuard(b *testing.B) {
	g := guard(b, "192.168.1.0/24", "2001:db8::/32")
	addr := netip.MustParseAddr("192.168.1.20")
	b.ReportAllocs()
	for b.Loop() {
		if g.Check(addr) != nil {
			b.Fatal("not called")
		}
	}
}

// A name that is this machine when it registers and another one afterwards
// gains nothing: the address is looked at when it is dialled.
func TestNameThatMeansAnotherMachineLaterIsNotCalled(t *testing.T) {
	var asked, lookups atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Connection", "close") // the next call looks the name up again
		pongs(w, r)
	}))
	defer s.Close()
	second := netip.MustParseAddr("169.254.169.254")
	names := rpctest.Resolver(func() netip.Addr {
		if lookups.Add(1) > 1 {
			return second
		}
		return netip.MustParseAddr("127.0.0.1")
	})
	n := rpc.NewNode("referee:REF01", rpc.Options{Resolver: names, Guard: rpc.Anywhere})
	to := rpc.Peer{Endpoint: "http://player.example:" + s.URL[strings.LastIndexByte(s.URL, ':')+1:] + "/mcp"}
	if err := rpc.Anywhere.CheckEndpoint(to.Endpoint); err != nil {
		t.Fatalf("a name is looked at when it is dialled, not before: %v", err)
	}
	if got := outcome(n.Call(t.Context(), to, ping())); got != "PONG" {
		t.Fatalf("first call: got %s, want PONG", got)
	}
	_, err := n.Call(t.Context(), to, ping())
	if !protocol.Is(err, protocol.EndpointNotAllowed) ||
		!strings.Contains(err.Error(), "169.254.169.254 is never called") {
		t.Errorf("second call: got %v, want a refusal by the guard", err)
	}
	if err := n.Alive(t.Context(), to.Endpoint); !errors.As(err, new(*rpc.NotAllowed)) {
		t.Errorf("probe: got %v, want a refusal by the guard", err)
	}
	if asked.Load() != 1 || lookups.Load() < 3 {
		t.Errorf("the server was asked %d times, the name looked up %d times", asked.Load(), lookups.Load())
	}
}

func TestNothingIsSentToAnAddressThatMayNotBeCalled(t *testing.T) {
	for _, host := range append([]string{"192.0.2.1", "[2001:db8::1]", "[::ffff:192.0.2.1]"}, bracketed(neverCalled)...) {
		for _, scheme := range []string{"http", "https"} {
			endpoint := scheme + "://" + host + ":8101/mcp"
			n := rpc.NewNode("referee:REF01", rpc.Options{})
			if _, err := n.Call(t.Context(), rpc.Peer{Endpoint: endpoint, Dialect: protocol.Canonical}, ping()); !protocol.Is(
				err, protocol.EndpointNotAllowed) {
				t.Errorf("call %s: got %v", endpoint, err)
			}
			if err := n.Alive(t.Context(), endpoint); !errors.As(err, new(*rpc.NotAllowed)) {
				t.Errorf("probe %s: got %v", endpoint, err)
			}
			if _, err := n.Network.(rpc.ToolCaller).Tools(t.Context(), endpoint); !errors.As(err, new(*rpc.NotAllowed)) {
				t.Errorf("tools of %s: got %v", endpoint, err)
			}
			if err := n.Guard.CheckEndpoint(endpoint); !errors.As(err, new(*rpc.NotAllowed)) {
				t.Errorf("registering %s: got %v", endpoint, err)
			}
		}
	}
}

// bracketed writes addresses as hosts of a URL. Zones have no place there.
func bracketed(addrs []string) (out []string) {
	for _, a := range addrs {
		if strings.Contains(a, "%") {
			continue
		}
		if strings.Contains(a, ":") {
			a = "[" + a + "]"
		}
		out = append(out, a)
	}
	return out
}

func TestEndpointWithAUserNameIsNotCalled(t *testing.T) {
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer s.Close()
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	endpoint := strings.Replace(s.URL, "http://", "http://user:secret@", 1)
	_, err := n.Call(t.Context(), rpc.Peer{Endpoint: endpoint}, ping())
	if !protocol.Is(err, protocol.EndpointNotAllowed) || n.Alive(t.Context(), endpoint) == nil || asked.Load() > 0 {
		t.Errorf("got %v; the server was asked %d times", err, asked.Load())
	}
}

func TestProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the proxy was asked")
	}))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	for _, endpoint := range []string{"http://192.0.2.1/mcp", "https://192.0.2.1/mcp"} {
		if _, err := n.Call(t.Context(), rpc.Peer{Endpoint: endpoint}, ping()); !protocol.Is(err,
			protocol.EndpointNotAllowed) {
			t.Errorf("%s: got %v", endpoint, err)
		}
	}
}

func TestNamedEndpointMayBeCalledAndNoOtherPortOfItsMachine(t *testing.T) {
	t.Parallel()
	n := rpc.NewNode("player:P01", rpc.Options{Guard: rpc.Guard{Named: "http://192.0.2.1/mcp"}})
	for endpoint, allowed := range map[string]bool{"http://192.0.2.1:80/mcp": true, "http://192.0.2.1:81/mcp": false,
		"http://192.0.2.2/mcp": false} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		err := n.Alive(ctx, endpoint)
		cancel()
		if got := n.Guard.CheckEndpoint(endpoint) == nil; got != allowed {
			t.Errorf("%s: the endpoint is allowed: %t, want %t", endpoint, got, allowed)
		}
		if got := !errors.As(err, new(*rpc.NotAllowed)); got != allowed {
			t.Errorf("%s: a call is allowed: %t (%v), want %t", endpoint, got, err, allowed)
		}
	}
}
