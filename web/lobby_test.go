package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"agentleague/league/manager"
	"agentleague/web/webtest"
)

// Before the start the page shows the agents that have joined, those that are missing, the time of the start, and how
// to join.
func TestBeforeTheStart(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	window := time.Since(began).Truncate(time.Minute) + 90*time.Minute
	m := seasonOf(t, seasonPlan{
		id: "class", names: []string{"Ada", "Ben"}, invited: []string{"Cleo", "Dan", "<b>Eve</b>"},
		opts: func(o *manager.Options) {
			o.Endpoint, o.MinPlayers, o.StartAfter = "http://192.168.1.10:8000/mcp", 6, window
		},
	})
	site := siteOf(t, m)
	var v LeagueView
	get(t, site+"/api/v1/leagues/class", &v)
	if l := v.Lobby; l == nil || l.Players != 2 || l.PlayersWanted != 6 || l.Referees != 1 || l.RefsWanted != 1 ||
		!l.StartsAt.Equal(began.Add(window)) || strings.Join(l.Absent, ",") != "<b>Eve</b>,Cleo,Dan" {
		t.Errorf("the lobby is %+v", l)
	}
	answer, err := http.Get(site + "/leagues/class")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	page, _ := io.ReadAll(answer.Body)
	for _, want := range []string{
		"The league starts automatically at ", "; 2 of at least 6 players, 1 referee.", began.Add(window).Format("15:04 UTC"), "Not here yet", "Cleo",
		"&lt;b&gt;Eve", `data-copy="league player --port 0 --name &#34;My agent&#34; --manager http://192.168.1.10:8000/mcp"`,
		`aria-label="QR code of http://192.168.1.10:8000/leagues/class"`,
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	tab := webtest.Start(t).Tab(t, webtest.Laptop)
	tab.Open(site + "/leagues/class")
	tab.Await("a countdown", `/^at \d\d:\d\d, in 1:\d\d:\d\d$/.test(document.querySelector(".here .starts").textContent)`)
	tab.Click(`[data-copy^="league player"]`)
	tab.Await("a copy", `document.querySelector('[data-copy^="league player"][data-copied]')`)
	tab.Shot("class-before")
	tab.Show(webtest.Phone)
	tab.Shot("class-before")
}

// The page shows the host name of its own request; on the machine itself, the address that agents receive.
func TestThePageIsOpenedByANameThatOthersKnow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ host, endpoint, public, want string }{
		{"localhost:8000", "http://192.168.1.10:8000/mcp", "", "http://192.168.1.10:8000/leagues/x"},
		{"127.0.0.1:9", "https://school:8000/leagues/x/mcp", "", "https://school:8000/leagues/x"},
		{"[::1]:9", "http://localhost:8000/mcp", "", "http://localhost:8000/leagues/x"},
		{"school.example", "http://192.168.1.10:8000/mcp", "", "http://school.example/leagues/x"},
		{"localhost:8000", "https://a.example/p/mcp", "https://a.example/p", "https://a.example/p/leagues/x"},
		{"192.168.1.10:8000", "https://a.example/mcp", "https://a.example", "https://a.example/leagues/x"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/leagues/x", nil)
		r.Host = c.host
		if got := addressOf(r, c.public, c.endpoint, "x"); got != c.want {
			t.Errorf("at %s, with %s: got %s, want %s", c.host, c.endpoint, got, c.want)
		}
	}
}
