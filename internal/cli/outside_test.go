package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"agentleague/rpc/rpctest"
)

const public = "https://league.example.org/spring"

// A visitor is an external client: its requests come through a proxy that passes on the host of the public address.
type visitor struct {
	t    *testing.T
	base string // where the manager listens
}

// ask sends a request and returns the answer and its body. A redirect is not followed.
func (v visitor) ask(method, path string, header map[string]string, body string) (*http.Response, string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.base+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Host = "league.example.org"
	for name, value := range header {
		if name == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return answer, string(text)
}

func managerOutside(t *testing.T, args ...string) (visitor, *command, string) {
	t.Helper()
	root := t.TempDir()
	c, at := startManager(t, root, append([]string{"--public-url", public + "/", "--league-id", "cup", "--start-after", "1h"}, args...)...)
	if at == "" {
		t.Fatal(c.finish())
	}
	return visitor{t, strings.TrimSuffix(at, "/mcp")}, c, root
}

func TestManagerTellsItsPublicAddress(t *testing.T) {
	t.Parallel()
	v, c, root := managerOutside(t)
	if told := part(c.out.String(), `"public_endpoint":"([^"]*)"`); told != public+"/mcp" {
		t.Errorf("it says %q of itself", told)
	}
	_, page := v.ask("GET", "/spring/leagues/cup", nil, "")
	for _, want := range []string{
		`--manager ` + public + `/mcp`, `href="` + public + `/leagues/cup"`, `QR code of ` + public + `/leagues/cup`,
		`href="/spring/leagues/cup/agents"`, `href="/spring/assets/`, `src="/spring/assets/`,
		`href="/spring/login?next=%2fleagues%2fcup"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, bad := range []string{`="/leagues`, `="/assets`, `="/login`, "localhost", "127.0.0.1"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	said := func(args ...string) string {
		return begin(t, root, append(args, "--manager", v.base+"/mcp", "--json")...).finish()
	}
	if got := said("create", "other", "--players", "2"); !strings.Contains(got, `"endpoint":"`+public+`/leagues/other/mcp"`) {
		t.Errorf("create says %s", got)
	}
	if got := said("invite", "player", "Ada", "--league-id", "cup"); !strings.Contains(got, `"address":"`+public+`/k/`) {
		t.Errorf("invite says %s", got)
	}
}

// Whether the proxy passes the path of the public address on or not, everything is found.
func TestPagesAreFoundWithAndWithoutThePublicPath(t *testing.T) {
	t.Parallel()
	v, _, root := managerOutside(t)
	for _, path := range []string{
		"/leagues", "/leagues/cup", "/api/v1/leagues/cup", "/leagues/cup/export/standings.csv", "/assets/frame.css", "/health", "/login",
	} {
		for _, prefix := range []string{"", "/spring"} {
			if r, _ := v.ask("GET", prefix+path, nil, ""); r.StatusCode != http.StatusOK {
				t.Errorf("%s%s: got %s", prefix, path, r.Status)
			}
		}
	}
	for _, path := range []string{"/springtime/leagues", "/spring/spring/leagues", "/other"} {
		if r, _ := v.ask("GET", path, nil, ""); r.StatusCode == http.StatusOK {
			t.Errorf("%s: got %s", path, r.Status)
		}
	}
	for _, at := range []string{"/", "/spring", "/spring/"} {
		if r, _ := v.ask("GET", at, nil, ""); r.Header.Get("Location") != "/spring/leagues/cup" {
			t.Errorf("%s leads to %q", at, r.Header.Get("Location"))
		}
	}
	token, err := os.ReadFile(filepath.Join(root, "data", "admin.token"))
	if err != nil {
		t.Fatal(err)
	}
	form := url.Values{"token": {strings.TrimSpace(string(token))}, "next": {"/leagues/cup/run"}}.Encode()
	r, text := v.ask("POST", "/spring/login", map[string]string{
		"Content-Type": "application/x-www-form-urlencoded", "Origin": "https://league.example.org",
	}, form)
	if cookie := r.Header.Get("Set-Cookie"); r.Header.Get("Location") != "/spring/leagues/cup/run" || !strings.Contains(cookie, "; Secure") {
		t.Errorf("a login leads to %q with the cookie %q: %s", r.Header.Get("Location"), cookie, text)
	}
}

func TestOnlyThePublicHostIsAccepted(t *testing.T) {
	t.Parallel()
	v, _, _ := managerOutside(t)
	const ping = `{"jsonrpc":"2.0","method":"get_league_status","params":{},"id":1}`
	form := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	for name, c := range map[string]struct {
		header map[string]string
		want   int
	}{
		"its own host":           {nil, 200},
		"with a port":            {map[string]string{"Host": "league.example.org:443"}, 200},
		"in capitals":            {map[string]string{"Host": "League.Example.ORG"}, 200},
		"this machine":           {map[string]string{"Host": "localhost:8000"}, 200},
		"another":                {map[string]string{"Host": "evil.example"}, 403},
		"a longer one":           {map[string]string{"Host": "league.example.org.evil.example"}, 403},
		"one that is forwarded":  {map[string]string{"Host": "evil.example", "X-Forwarded-Host": "league.example.org", "Forwarded": "host=league.example.org"}, 403},
		"its own page":           {map[string]string{"Origin": "https://league.example.org"}, 200},
		"its page, another host": {map[string]string{"Host": "localhost:8000", "Origin": "https://league.example.org"}, 200},
		"a foreign page":         {map[string]string{"Origin": "https://evil.example"}, 403},
	} {
		if r, text := v.ask("POST", "/mcp", c.header, ping); r.StatusCode != c.want {
			t.Errorf("%s at /mcp: got %s: %s", name, r.Status, text)
		}
		header := map[string]string{}
		for _, all := range []map[string]string{form, c.header} {
			for k, value := range all {
				header[k] = value
			}
		}
		want := http.StatusUnauthorized // the token is wrong: it was looked at
		if c.want == 403 {
			want = 403
		}
		if r, text := v.ask("POST", "/login", header, "token=x"); r.StatusCode != want {
			t.Errorf("%s at /login: got %s: %.200s", name, r.Status, text)
		}
	}
	if _, page := v.ask("GET", "/leagues/cup", map[string]string{
		"Host": "localhost", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "gopher", "X-Forwarded-Prefix": "/evil",
	}, ""); strings.Contains(page, "evil") || strings.Contains(page, "gopher") {
		t.Error("a page believes X-Forwarded headers")
	}
}

func TestPublicAddressIsRefusedWithASentence(t *testing.T) {
	t.Parallel()
	for flag, want := range map[string]string{
		"--public-url=league.example.org":         "--public-url: use an https or http address such as https://league.example.org",
		"--public-url=https://a:b@example.org":    "--public-url: leave out the user",
		"--public-url=https://example.org/?x=1":   "--public-url: leave out the query",
		"--public-url=https://example.org/mcp":    "--public-url: leave out /mcp",
		"--auth-server=http://login.example.org":  "--auth-server: use https",
		"--auth-server=https://example.org/#part": "--auth-server: an issuer has no user, query or fragment",
	} {
		for _, verb := range []string{"manager", "run"} {
			c := begin(t, filepath.Join(t.TempDir(), "root"), verb, "--port", "0", flag)
			if said := c.finish(); c.status != 2 || !strings.Contains(said, want) {
				t.Errorf("%s %s: got %d: %s", verb, flag, c.status, said)
			}
		}
	}
}

// A tunnel is a proxy that takes the path of the public address away and calls the manager by another name.
func tunnel(t *testing.T) (address string, to *atomic.Pointer[url.URL]) {
	t.Helper()
	to = &atomic.Pointer[url.URL]{}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to.Load())
		r.Out.URL.Path = strings.TrimPrefix(r.In.URL.Path, "/spring")
		r.SetXForwarded()
	}}
	s := httptest.NewServer(proxy)
	t.Cleanup(s.Close)
	return s.URL + "/spring", to
}

// Agents with only the public address play a league through a proxy, with one agent that uses the local address.
func TestAgentsPlayThroughAProxy(t *testing.T) {
	t.Parallel()
	outside, to := tunnel(t)
	root := t.TempDir()
	c, at := startManager(t, root, "--public-url", outside, "--start-when", "players=3,referees=1")
	if at == "" {
		t.Fatal(c.finish())
	}
	here, err := url.Parse(strings.TrimSuffix(at, "/mcp"))
	if err != nil {
		t.Fatal(err)
	}
	to.Store(here)
	begin(t, root, "referee", "--port", "0", "--manager", outside+"/mcp", "--name", "Judge")
	for name, manager := range map[string]string{"Ada": outside + "/mcp", "Bob": outside + "/mcp", "Eve": at} {
		begin(t, filepath.Join(t.TempDir(), "own"), "player", "--port", "0", "--manager", manager, "--name", name)
	}
	rpctest.Eventually(t, "the end of the league", func() bool {
		return strings.Contains(asked(t, at, "get_league_status", "{}"), "COMPLETED")
	})
	standings := asked(t, outside+"/mcp", "get_standings", "{}")
	if !strings.Contains(standings, "Ada") {
		t.Errorf("got %s", standings)
	}
	log, err := os.ReadFile(filepath.Join(root, "data/leagues/league_2025_even_odd/journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(log), `"forfeits":{"`) {
		t.Errorf("somebody forfeited: %s", log)
	}
	for what, want := range map[string]int{outside + "/mcp": 3, at: 1} {
		if got := strings.Count(string(log), fmt.Sprintf(`"manager":%q`, what)); got != want {
			t.Errorf("%d agents joined by %s, want %d", got, what, want)
		}
	}
}
