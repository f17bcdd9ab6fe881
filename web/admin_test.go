package web

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"agentleague/league"
	"agentleague/league/manager"
)

// A webClient is a browser as far as a server sees it.
type webClient struct {
	t      *testing.T
	site   string
	client *http.Client
}

func newWebClient(t *testing.T, site string) *webClient {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &webClient{t, site, &http.Client{Jar: jar}}
}

// post sends a form, with headers that a browser would add.
func (v *webClient) post(path string, form url.Values, headers ...string) (status int, at, body string) {
	v.t.Helper()
	return v.send(path, "application/x-www-form-urlencoded", form.Encode(), headers...)
}

func (v *webClient) send(path, kind, content string, headers ...string) (status int, at, body string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.site+path, strings.NewReader(content))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, answer.Request.URL.Path, string(text)
}

// get reads a page with the cookies that the client has.
func (v *webClient) get(path string) (body string) {
	v.t.Helper()
	answer, err := v.client.Get(v.site + path)
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return string(text)
}

func paused(m *manager.Manager) (yes bool) {
	m.Read(func(s *league.State) { yes = s.Paused })
	return yes
}

func TestOrdersAreTheAdmins(t *testing.T) {
	t.Parallel()
	m := seasonOf(t, seasonPlan{id: "ten", names: agents(10), started: true, rounds: 2})
	v := newWebClient(t, siteOf(t, m))
	if status, at, _ := v.post("/leagues/ten/pause", nil); status != http.StatusOK || at != "/login" || paused(m) {
		t.Fatalf("a stranger is answered with %d at %s, paused: %v; want the login", status, at, paused(m))
	}
	if status, _, body := v.post("/api/v1/leagues/ten/pause", nil); status != http.StatusUnauthorized || paused(m) ||
		!strings.Contains(body, `"fix"`) {
		t.Fatalf("a stranger's program is answered with %d %s", status, body)
	}
	if status, _, body := v.post("/login", url.Values{"token": {"guess"}}); status != http.StatusUnauthorized ||
		!strings.Contains(body, "not the admin token") {
		t.Fatalf("a wrong token is answered with %d", status)
	}
	if status, at, _ := v.post("/login", url.Values{
		"token": {" " + adminToken + "\n"}, "next": {"/leagues/ten/run"},
	}); status != http.StatusOK || at != "/leagues/ten/run" {
		t.Fatalf("the admin is answered with %d at %s", status, at)
	}
	if _, at, body := v.post("/leagues/ten/pause", nil); !paused(m) || at != "/leagues/ten/run" ||
		!strings.Contains(body, "Paused") || !strings.Contains(body, "admin via page 127.0.0.1") {
		t.Fatalf("paused: %v, at %s; the page has to say who did it:\n%s", paused(m), at, body)
	}
	v.post("/logout", nil)
	if _, at, _ := v.post("/leagues/ten/resume", nil); at != "/login" || !paused(m) {
		t.Fatal("who has logged out can still give orders")
	}
	if status, _, body := v.post("/api/v1/leagues/ten/resume", nil, "Authorization",
		"Bearer "+adminToken); status != http.StatusOK || paused(m) || !strings.Contains(body, `"paused":false`) {
		t.Fatalf("a program with the token is answered with %d %s", status, body)
	}
}

// A page of another site cannot act in the admin's name, whatever its browser sends.
func TestOtherSitesCannotGiveOrders(t *testing.T) {
	t.Parallel()
	m := seasonOf(t, seasonPlan{id: "ten", names: agents(10), started: true, rounds: 2})
	v := newWebClient(t, siteOf(t, m))
	v.post("/login", url.Values{"token": {adminToken}})
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://elsewhere.example"},
		{"Origin", "null"},
		{"Sec-Fetch-Site", "cross-site", "Authorization", "Bearer " + adminToken},
	} {
		for _, path := range []string{"/leagues/ten/pause", "/api/v1/leagues/ten/pause", "/login"} {
			if status, _, _ := v.post(path, url.Values{"token": {adminToken}}, headers...); status != http.StatusForbidden ||
				paused(m) {
				t.Errorf("%s with %v: %d, paused: %v; want it refused", path, headers, status, paused(m))
			}
		}
	}
	if v.post("/leagues/ten/pause", nil, "Sec-Fetch-Site", "same-origin"); !paused(m) {
		t.Error("the site's own page cannot give orders")
	}
}

func TestTheSessionIsNobodyElses(t *testing.T) {
	t.Parallel()
	site := siteOf(t, seasonOf(t, seasonPlan{id: "ten"}))
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.PostForm(site+"/login", url.Values{"token": {adminToken}, "next": {"//elsewhere.example/x"}})
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	c := answer.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || strings.Contains(c.Value, adminToken) {
		t.Errorf("the cookie is %v", c)
	}
	if at := answer.Header.Get("Location"); at != "/" {
		t.Errorf("the login sends to %s, want a page of this site", at)
	}
}

func TestNextIsAlwaysWithinTheSite(t *testing.T) {
	t.Parallel()
	for next, want := range map[string]string{
		"": "/", "/leagues/x?all": "/leagues/x?all", "//evil": "/", "https://evil/": "/", `/\evil`: "/",
		"javascript:alert(1)": "/", "leagues": "/", "/%2f/evil": "/",
	} {
		if got := within(next); got != want && !strings.HasPrefix(got, "/%2f") {
			t.Errorf("%q: got %q, want %q", next, got, want)
		}
	}
}

func TestOrdersThatCannotBe(t *testing.T) {
	t.Parallel()
	m := seasonOf(t, seasonPlan{id: "over", names: agents(4), started: true, rounds: 3})
	v := newWebClient(t, siteOf(t, m))
	key := []string{"Authorization", "Bearer " + adminToken}
	for _, c := range []struct {
		path, body, kind string
		status           int
		says             string
	}{
		{"/api/v1/leagues/over/pause", "", "", http.StatusConflict, "the league is over"},
		{"/api/v1/leagues/none/pause", "", "", http.StatusNotFound, "no league none"},
		{"/api/v1/leagues/over/withdraw", `{"player_id": "P99"}`, "application/json", http.StatusConflict, `no player \"P99\"`},
		{"/api/v1/leagues/over/withdraw", `{"player_id": `, "application/json", http.StatusBadRequest, "not a JSON object"},
		{"/api/v1/leagues/over/withdraw", `player_id=P01`, "text/plain", http.StatusUnsupportedMediaType, "Content-Type: application/json"},
		{"/api/v1/leagues", `{"game_type": "chess"}`, "application/json", http.StatusConflict, `no game \"chess\"`},
		{"/api/v1/leagues", `{"game_type": "even_odd", "players": "many"}`, "application/json", http.StatusBadRequest,
			"players: want a number"},
		{"/api/v1/leagues", `{"game_type": "even_odd", "players": 4, "house": ["random", "random"]}`, "application/json",
			http.StatusOK, `"league_id":"over"`},
		{"/api/v1/nowhere", "", "", http.StatusNotFound, "openapi.json"},
	} {
		if status, _, body := v.send(c.path, c.kind, c.body, key...); status != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%s %s: got %d %s, want %d and %s", c.path, c.body, status, body, c.status, c.says)
		}
	}
}

// TestOnlyTheAdminSeesWarnings lists refused attempts on the admin's page and in the admin's API answer alone.
func TestOnlyTheAdminSeesWarnings(t *testing.T) {
	t.Parallel()
	m := seasonOf(t, seasonPlan{id: "ten", names: agents(10), started: true, rounds: 2})
	m.Suspect("a referee <b>asked</b> to judge", "192.0.2.7")
	m.Suspect("a referee <b>asked</b> to judge", "192.0.2.7")
	v := newWebClient(t, siteOf(t, m))
	for _, path := range []string{"/leagues/ten/run", "/api/v1/leagues/ten/run"} {
		if body := v.get(path); strings.Contains(body, "192.0.2.7") {
			t.Errorf("%s shows the warning to a stranger", path)
		}
	}
	v.post("/login", url.Values{"token": {adminToken}})
	if body := v.get("/leagues/ten/run"); !strings.Contains(body, "<td>192.0.2.7</td><td class=\"n\">2</td>") ||
		!strings.Contains(body, "a referee &lt;b&gt;asked&lt;/b&gt; to judge") {
		t.Errorf("the admin's page has no warning:\n%s", body)
	}
	if body := v.get("/api/v1/leagues/ten/run"); !strings.Contains(body, `"address":"192.0.2.7"`) ||
		!strings.Contains(body, `"count":2`) {
		t.Errorf("the admin's API answer has no warning: %s", body)
	}
}
