package rpc_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"agentleague/rpc"
)

// A page in a browser can make its reader call any address. These are the
// requests that such pages make, and the ones that they are not to be taken for.
func TestPagesOfStrangersAreRefusedOnBothFaces(t *testing.T) {
	url := served(t, newPlayer(rpc.Options{Hosts: []string{"league.example", "fd00::7"}}))
	port := url[strings.LastIndex(url, ":") : len(url)-len("/mcp")]
	bodies := map[string]string{
		"league": pingBody,
		"MCP":    `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		"modern": `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":` + modernMeta + `}}`,
	}
	for _, c := range []struct {
		host, origin, site string
		ok                 bool
	}{
		{"", "", "", true},
		{"localhost" + port, "", "", true},
		{"LOCALHOST.", "", "", true},
		{"127.0.0.1" + port, "", "none", true},
		{"127.0.0.53", "", "", true},
		{"[::1]" + port, "", "", true},
		{"league.example" + port, "", "", true},
		{"[fd00::7]" + port, "", "", true},
		{"localhost" + port, "http://localhost" + port, "same-origin", true},
		{"localhost" + port, "http://localhost:6274", "same-site", true},
		{"localhost" + port, "http://127.0.0.1:6274", "cross-site", true},
		{"league.example", "https://league.example", "same-origin", true},
		// rebinding: the name of the page was made to mean this machine
		{"evil.example", "", "", false},
		{"evil.example" + port, "http://evil.example" + port, "same-origin", false}, // the same, as a browser sends it
		{"localhost.evil.example", "", "", false},
		{"127.0.0.1.evil.example", "", "", false},
		{"192.168.1.10", "", "", false},
		{"0.0.0.0" + port, "", "", false},
		{"localhost" + port, "http://evil.example", "cross-site", false},
		{"localhost" + port, "http://localhost.evil.example", "", false},
		{"localhost" + port, "http://localhost@evil.example", "", false},
		{"localhost" + port, "null", "cross-site", false},
		{"localhost" + port, "file://", "", false},
		{"localhost" + port, "garbage", "", false},
		{"localhost" + port, "", "cross-site", false},
	} {
		for face, body := range bodies {
			req, err := http.NewRequest("POST", url, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if c.host != "" {
				req.Host = c.host
			}
			req.Header.Set("Content-Type", "text/plain") // as a page can send it without asking
			if face == "modern" {
				for name, v := range map[string]string{
					"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
					"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list",
				} {
					req.Header.Set(name, v)
				}
			}
			for name, v := range map[string]string{"Origin": c.origin, "Sec-Fetch-Site": c.site} {
				if v != "" {
					req.Header.Set(name, v)
				}
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			want := http.StatusForbidden
			if c.ok {
				want = http.StatusOK
			}
			if resp.StatusCode != want {
				t.Errorf("%s, host %q, origin %q, site %q: got %d %.80s, want %d", face, c.host, c.origin, c.site,
					resp.StatusCode, text, want)
			}
		}
	}
	for _, path := range []string{"/health", "/metrics", "/mcp"} {
		req, _ := http.NewRequest("GET", strings.TrimSuffix(url, "/mcp")+path, nil)
		req.Host = "evil.example"
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("GET %s for evil.example: got %d", path, resp.StatusCode)
		}
	}
}

// A list of networks replaces the check of names for metrics, and nothing else.
func TestMetricsAreForTheAllowedNetworks(t *testing.T) {
	check := rpc.HostCheck{Scrapers: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::7/128")}}
	public, open := check, rpc.HostCheck{}
	public.Hosts = []string{"league.example"}
	for _, c := range []struct {
		from, host, path string
		check            rpc.HostCheck
		ok               bool
	}{
		{"192.0.2.9:4000", "league.example", "/metrics", check, true},
		{"[::ffff:192.0.2.9]:4000", "league.example", "/metrics/leagues", check, true},
		{"[2001:db8::7]:4000", "league.example", "/leagues/spring/metrics", check, true},
		{"192.0.2.9:4000", "league.example", "/leagues/metrics", check, false}, // the page of a league
		{"192.0.2.9:4000", "league.example", "/mcp", check, false},
		{"198.51.100.1:4000", "127.0.0.1", "/metrics", check, false},
		{"198.51.100.1:4000", "127.0.0.1", "/health", check, true},
		{"127.0.0.1:4000", "localhost", "/metrics", check, true},
		{"127.0.0.1:4000", "evil.example", "/metrics", check, false},
		{"127.0.0.1:4000", "league.example", "/metrics", public, false}, // through a proxy on this machine
		{"127.0.0.1:4000", "league.example", "/health", public, true},
		{"198.51.100.1:4000", "127.0.0.1", "/metrics", open, true},
		{"198.51.100.1:4000", "league.example", "/metrics", open, false},
	} {
		r := httptest.NewRequest("GET", "http://"+c.host+c.path, nil)
		r.RemoteAddr = c.from
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8000}))
		w := httptest.NewRecorder()
		c.check.Wrap(http.NotFoundHandler()).ServeHTTP(w, r)
		if got := w.Code != http.StatusForbidden; got != c.ok {
			t.Errorf("%s from %s to %s: served %v, want %v", c.path, c.from, c.host, got, c.ok)
		}
		for _, name := range []string{"X-Forwarded-For", "Forwarded"} { // a proxy that calls its upstream localhost
			if c.from == "127.0.0.1:4000" && c.path == "/metrics" {
				r.Header.Set(name, "for=198.51.100.1")
				w := httptest.NewRecorder()
				c.check.Wrap(http.NotFoundHandler()).ServeHTTP(w, r)
				if w.Code != http.StatusForbidden {
					t.Errorf("%s through a proxy with %s: got %d", c.path, name, w.Code)
				}
				r.Header.Del(name)
			}
		}
	}
}
