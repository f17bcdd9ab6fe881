package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"agentleague/internal/roster"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/web/webtest"
)

// classSite serves a league of which the roster has other names than the agents.
func classSite(t *testing.T) (*manager.Manager, string) {
	t.Helper()
	m := seasonOf(t, seasonPlan{id: "class", names: agents(10), invited: []string{"Grace", "Linus"}, started: true, rounds: 2})
	list := roster.Named("Grace", "Linus")
	host := &leagues{ids: []string{"class"}, open: map[string]*manager.Manager{"class": m}}
	for i, name := range agents(10) {
		row := roster.Row{Name: "Student " + string(rune('A'+i)), Agent: name, Cells: []string{name}}
		list.Rows = append(list.Rows, row)
	}
	return m, siteWith(t, Options{Host: host, Admin: func(token string) error {
		if token != adminToken {
			return errNoAdmin
		}
		return nil
	}, Roster: func(string) (roster.Roster, error) { return list, nil }})
}

var errNoAdmin = badRequest("no", "")

// Only the organizer sees the names of the students, on the page, as JSON and in the gradebook.
func TestStudentsNamesAreTheOrganizers(t *testing.T) {
	t.Parallel()
	m, site := classSite(t)
	v := newWebClient(t, site)
	for _, path := range []string{"", "/roster", "/run", "/agents", "/players/P01", "/export/gradebook.csv"} {
		if body := v.get("/leagues/class" + path); strings.Contains(body, "Student A") {
			t.Errorf("%s shows the name of a student", path)
		}
	}
	if body := v.get("/api/v1/leagues/class/roster"); strings.Contains(body, "Student A") || !strings.Contains(body, "Only the admin") {
		t.Errorf("got %s", body)
	}
	if _, at, _ := v.post("/login", url.Values{"token": {adminToken}, "next": {"/leagues/class/roster"}}); at != "/leagues/class/roster" {
		t.Fatalf("the login leads to %s", at)
	}
	for _, path := range []string{"/leagues/class/roster", "/api/v1/leagues/class/roster"} {
		if body := v.get(path); !strings.Contains(body, "Student A") || !strings.Contains(body, "Grace") {
			t.Errorf("%s: got %s", path, body)
		}
	}
	if body := v.get("/leagues/class/export/gradebook.csv"); !strings.HasPrefix(body, "name,agent,player_id,present,rounds,") {
		t.Errorf("got %s", body)
	}
	status, at, _ := v.post("/leagues/class/rest", url.Values{"player_id": {"P01"}, "rounds": {"2"}, "next": {"/leagues/class/roster"}})
	if status != http.StatusOK || at != "/leagues/class/roster" {
		t.Errorf("the order is answered with %d at %s", status, at)
	}
	m.Read(func(s *league.State) {
		if s.RestsUntil("P01") == 0 {
			t.Error("the player does not rest")
		}
	})
	if body := v.get("/leagues/class/roster"); !strings.Contains(body, "End its rest") {
		t.Errorf("the page does not offer the end of the rest: %s", body)
	}
	if status, _, _ := v.post("/leagues/class/rest", url.Values{"player_id": {"P01"}, "rounds": {"many"}}); status != http.StatusBadRequest {
		t.Errorf("a wrong number is answered with %d", status)
	}
}

// Every confirmation fits on a phone and on a laptop, and stays open when the page is updated.
func TestTheRosterPageFits(t *testing.T) {
	t.Parallel()
	m, site := classSite(t)
	if err := m.Orders.Withdraw(t.Context(), "P10", "a test"); err != nil {
		t.Fatal(err)
	}
	tab := webtest.Start(t).Tab(t, webtest.Phone)
	tab.Open(site + "/login?next=/leagues/class/roster")
	tab.Type("input[name=token]", adminToken)
	tab.Press("\r")
	tab.Await("the roster", `document.querySelector("[data-student]")`)
	for _, screen := range []webtest.Screen{webtest.Phone, webtest.Laptop} {
		tab.Show(screen)
		webtest.Get[bool](tab, `(() => { for (const e of document.querySelectorAll("details")) e.open = true; return true })()`)
		looks := webtest.Get[int](tab, `Number(document.getElementById("live").dataset.looks || 0)`)
		if err := m.Orders.Pause(t.Context(), "a test"); err != nil {
			t.Fatal(err)
		}
		tab.Await("an update", fmt.Sprintf(`Number(document.getElementById("live").dataset.looks || 0) > %d`, looks))
		if closed := webtest.Get[int](tab, `document.querySelectorAll("details:not([open])").length`); closed > 0 {
			t.Errorf("%s: %d confirmations were closed by an update", screen.Name, closed)
		}
		for _, wrong := range tab.Laws() {
			t.Errorf("%s: %s", screen.Name, wrong)
		}
		tab.Shot("roster-open-" + screen.Name)
	}
}
