package rpc_test

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// serving serves a node at a place until the test ends and returns its endpoint.
func serving(t *testing.T, p rpc.Place) string {
	t.Helper()
	s, err := p.Listen()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, rpc.NewNode("player:P01", rpc.Options{})) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s.URL()
}

func TestServerIsReachedByItsHostAndAsLocalhost(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is one loopback address only")
	}
	at := serving(t, rpc.Place{Host: "127.0.0.2"})
	if !strings.HasPrefix(at, "http://127.0.0.2:") {
		t.Errorf("the endpoint is %s", at)
	}
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	for _, endpoint := range []string{at, strings.Replace(at, "127.0.0.2", "localhost", 1)} {
		if got := outcome(n.Call(t.Context(), rpc.Peer{Endpoint: endpoint}, ping())); got != "PONG" {
			t.Errorf("%s: got %s, want PONG", endpoint, got)
		}
	}
}

func TestServerIsNotReachedByWhatIsNoAddressOfThisMachine(t *testing.T) {
	for _, host := range []string{"0.0.0.0", "::", "192.0.2.1", "name.invalid"} {
		if s, err := (rpc.Place{Host: host}).Listen(); err == nil {
			t.Errorf("%s: listens at %s", host, s.URL())
			_ = s.Close()
		}
	}
}

func TestAgentsTalkOverTLS(t *testing.T) {
	ours, others := rpctest.NewAuthority(t), rpctest.NewAuthority(t)
	shown := &tls.Config{Certificates: []tls.Certificate{ours.Issue("localhost")}}
	secure, plain := serving(t, rpc.Place{TLS: shown}), serving(t, rpc.Place{})
	trusting := &tls.Config{RootCAs: ours.Pool()}
	for _, c := range []struct {
		name, endpoint string
		trust          *tls.Config
		want, says     string
	}{
		{"trusted", secure, trusting, "PONG", ""},
		{"another authority", secure, &tls.Config{RootCAs: others.Pool()}, "E009", "its certificate is not signed by a trusted CA"},
		{"the system's authorities", secure, nil, "E009", "not signed by a trusted CA"},
		{"another name", strings.Replace(secure, "localhost", "127.0.0.1", 1), trusting, "E009", "its certificate is for another name"},
		{"plain to TLS", strings.Replace(secure, "https", "http", 1), trusting, "E009", "it speaks TLS: write its address with https://"},
		{"TLS to plain", strings.Replace(plain, "http", "https", 1), trusting, "E009", "it does not speak TLS: write its address with http://"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := rpc.NewNode("referee:REF01", rpc.Options{TLS: c.trust})
			ctx, cancel := context.WithTimeout(t.Context(), rpctest.Patience)
			defer cancel()
			// a permanent error is not retried
			reply, err := n.CallUntil(ctx, rpc.Peer{Endpoint: c.endpoint, Dialect: protocol.Canonical}, time.Millisecond, ping())
			if got := outcome(reply, err); got != c.want {
				t.Errorf("got %s (%v), want %s", got, err, c.want)
			}
			if err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %q, want it to say %q", err, c.says)
			}
		})
	}
}

func TestPlainRequestToAPortForTLSIsToldSo(t *testing.T) {
	shown := &tls.Config{Certificates: []tls.Certificate{rpctest.NewAuthority(t).Issue("localhost")}}
	at := serving(t, rpc.Place{TLS: shown})
	resp, err := http.Get(strings.Replace(at, "https", "http", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != 400 || !strings.Contains(string(body), "HTTPS") {
		t.Errorf("got %d %q", resp.StatusCode, body)
	}
}
