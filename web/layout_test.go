package web

import (
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"agentleague/league/manager"
	"agentleague/web/webtest"
)

// Every page for a visitor or the admin keeps the laws of layout on every screen, and no link is dead: before a league,
// in the middle and at the end, with 30 players whose names are long, right-to-left or hostile.
func TestPagesKeepTheLawsOfLayout(t *testing.T) {
	t.Parallel()
	walkLeagues(t, 2, threeLeagues(t, 30), webtest.Phone, webtest.Laptop, webtest.Projector)
}

// The same for leagues of other sizes and in dark colours; with LEAGUE_LONG also for large ones and with more pages of
// each kind.
func TestLongPagesKeepTheLawsOfLayoutInAnySize(t *testing.T) {
	sizes, each := []int{0, 6}, 1
	if os.Getenv("LEAGUE_LONG") != "" {
		sizes, each = []int{0, 6, 30, 200}, 6
	}
	for _, n := range sizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			walkLeagues(t, each, threeLeagues(t, n), webtest.Phone, webtest.Laptop, webtest.Projector, webtest.Phone.InDark())
		})
	}
}

// threeLeagues are leagues of n players before the start, in the middle and at the end. A league without players has
// not started.
func threeLeagues(t *testing.T, n int) []*manager.Manager {
	t.Helper()
	names := append(agents(max(0, n-len(awkward))), awkward[:min(n, len(awkward))]...)
	before := seasonOf(t, seasonPlan{id: "before", names: names})
	if n == 0 {
		return []*manager.Manager{before}
	}
	rounds := min(n-1, 40)
	return []*manager.Manager{before,
		seasonOf(t, seasonPlan{id: "during", names: names, started: true, rounds: rounds / 3, half: true}),
		seasonOf(t, seasonPlan{id: "over", names: names, started: true, rounds: rounds, limit: rounds})}
}

// awkward are names that players do have, and names that no player should have.
var awkward = append([]string{
	"The Magnificent and Unbeatable Grandmaster of Even and Odd, Second of His Name", strings.Repeat("W", 60),
	"مرحبا بالعالم العربي الجميل", "שחקן מספר שלוש (3)", "日本語の名前のプレイヤー", "a b", ".",
}, hostile...)

// walkLeagues walks through a site with some leagues, as a visitor and as the admin, and opens each pages of a kind.
func walkLeagues(t *testing.T, each int, all []*manager.Manager, screens ...webtest.Screen) {
	t.Helper()
	site := siteOf(t, all...)
	browser := webtest.Start(t)
	for _, admin := range []bool{false, true} {
		tab := browser.Tab(t, webtest.Laptop)
		tab.Forgive() // a page that is left aborts its requests
		if admin {
			logIn(tab, site)
		}
		w := webtest.Walk{Site: site, Screens: screens, Each: each}
		w.Go(tab, "/", func(path string) bool { return strings.HasPrefix(path, "/logout") })
		t.Logf("admin %v: %d pages, %d links, %d looks", admin, w.Pages, w.Links, w.Looks)
	}
}

// logIn makes a tab the admin's.
func logIn(tab *webtest.Tab, site string) {
	tab.Open(site + "/login")
	tab.Type("input[name=token]", adminToken)
	tab.Click("form[action$='/login'] button")
	tab.Await("the admin's page", `document.querySelector("form[action$='/logout']")`)
}

// A manager passes all paths of the site to the site. A redirect keeps the query.
func TestPagesAreReachedOnTheManagersPort(t *testing.T) {
	t.Parallel()
	site := siteOf(t, seasonOf(t, seasonPlan{id: "only", names: agents(2)}))
	for path, want := range map[string]string{
		"/?projector": "/leagues/only?projector", "/leagues/only/": "/leagues/only",
		"/leagues/only/agents/?x=1": "/leagues/only/agents?x=1", "/ratings": "/ratings",
	} {
		answer := get(t, site+path, nil)
		if got := answer.Request.URL.RequestURI(); got != want || answer.StatusCode != 200 {
			t.Errorf("%s leads to %s with status %d, want %s", path, got, answer.StatusCode, want)
		}
		if r := httptest.NewRequest("GET", path, nil); !Takes(r) {
			t.Errorf("the site does not take %s", path)
		}
	}
}
