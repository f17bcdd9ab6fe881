package cli

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestProfilesAreForThisMachineAlone(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(profiles("league.example"))
	t.Cleanup(server.Close)
	for _, c := range []struct {
		what, host, origin, site string
		method                   string
		want                     int
	}{
		{"by the address", "", "", "", "GET", 200},
		{"by the name of this machine", "localhost:6060", "", "", "GET", 200},
		{"by the name that the agent was given", "league.example", "", "", "GET", 200},
		{"from a page of this machine", "localhost", "http://localhost:8000", "", "GET", 200},
		{"by a name that was made to mean this machine", "evil.example", "", "", "GET", 403},
		{"by such a name with the port", "evil.example:6060", "", "", "GET", 403},
		{"from a page of a stranger", "localhost", "https://evil.example", "", "GET", 403},
		{"from a page without an origin", "localhost", "null", "", "GET", 403},
		{"from a form of another site", "localhost", "", "cross-site", "POST", 403},
	} {
		for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap?debug=1", "/debug/pprof/symbol"} {
			r, err := http.NewRequestWithContext(t.Context(), c.method, server.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.host != "" {
				r.Host = c.host
			}
			if c.origin != "" {
				r.Header.Set("Origin", c.origin)
			}
			if c.site != "" {
				r.Header.Set("Sec-Fetch-Site", c.site)
			}
			resp, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != c.want {
				t.Errorf("%s: %s %s: got %d, want %d", c.what, c.method, path, resp.StatusCode, c.want)
			}
		}
	}
}
