package web

import (
	"encoding/csv"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"agentleague/league/manager"
	"agentleague/web/webtest"
)

// pairedSeasons are leagues that pair round by round, in play: a Swiss, a knockout and a ladder.
func pairedSeasons(t *testing.T, players int) []*manager.Manager {
	t.Helper()
	names := append(agents(players-len(awkward)), awkward...)
	swiss := seasonPlan{id: "swiss", names: names, started: true, rounds: 3, half: true, format: "swiss", limit: 7}
	knockout := seasonPlan{id: "knockout", names: names, started: true, rounds: 4, half: true, format: "knockout"}
	ladder := seasonPlan{id: "ladder", names: names, started: true, rounds: 5, half: true, format: "ladder", limit: 50}
	return []*manager.Manager{seasonOf(t, swiss), seasonOf(t, knockout), seasonOf(t, ladder)}
}

func TestPagesOfFormatsKeepTheLawsOfLayout(t *testing.T) {
	t.Parallel()
	walkLeagues(t, 2, pairedSeasons(t, 32), webtest.Phone, webtest.Laptop, webtest.Screen{Name: "tablet", Width: 1024, Height: 768, Scale: 1},
		webtest.Screen{Name: "desk", Width: 1440, Height: 900, Scale: 1}.InDark())
}

func TestBracketIsOnOneScreenAndTheKeyboardIsEnough(t *testing.T) {
	t.Parallel()
	site := siteOf(t, pairedSeasons(t, 32)...)
	tab := webtest.Start(t).Tab(t, webtest.Screen{Name: "desk", Width: 1440, Height: 1200, Scale: 1})
	tab.Open(site + "/leagues/knockout")
	if wide := webtest.Get[int](tab, `(() => { const b = document.querySelector(".bracket-box"); return b.scrollWidth - b.clientWidth; })()`); wide > 1 {
		t.Errorf("the bracket of 32 is %d px wider than its card", wide)
	}
	if got := webtest.Get[int](tab, `document.querySelectorAll(".bracket .pairing").length`); got != 31 {
		t.Errorf("got %d ties, want 31", got)
	}
	webtest.Get[bool](tab, `document.querySelector(".stage .pairing").focus() || true`)
	tab.Press(kb.ArrowRight)
	tab.Await("the focus on the next stage", `document.activeElement === document.querySelectorAll(".stage")[1].querySelector("a.pairing")`)
	tab.Press(kb.ArrowDown)
	tab.Await("the focus on the next tie", `document.activeElement === document.querySelectorAll(".stage")[1].querySelectorAll("a.pairing")[1]`)
	tab.Press(kb.ArrowLeft)
	tab.Await("the focus on the tie before it", `document.activeElement.closest("li") === document.querySelector(".stage").querySelectorAll("li")[2]`)
	tab.Press("\r")
	tab.Await("its match", `location.pathname.includes("/matches/R")`)
}

// The head of the table stays at the top of the screen and never covers a row in place: its empty last cell once did.
func TestHeadOfTheTableCoversNoRow(t *testing.T) {
	t.Parallel()
	tab := webtest.Start(t).Tab(t, webtest.Laptop)
	tab.Open(siteOf(t, pairedSeasons(t, 32)...) + "/leagues/swiss")
	for _, screen := range []webtest.Screen{webtest.Phone, webtest.Laptop, webtest.Projector} {
		tab.Show(screen)
		if got := webtest.Get[float64](tab, `(() => {
			scrollTo(0, 0);
			const first = document.querySelector(".standings tbody tr").getBoundingClientRect();
			return Math.max(...[...document.querySelectorAll(".standings thead th")].map((th) => th.getBoundingClientRect().bottom)) - first.top;
		})()`); got > 1 {
			t.Errorf("on %s the head covers %.0f px of the first row", screen.Name, got)
		}
	}
}

func TestStandingsExportHasTheColumnsOfTheFormat(t *testing.T) {
	t.Parallel()
	site := siteOf(t, pairedSeasons(t, 31)...)
	resp, err := http.Get(site + "/leagues/swiss/export/standings.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	rows, err := csv.NewReader(resp.Body).ReadAll()
	if err != nil || len(rows) != 32 {
		t.Fatalf("got %d lines, %v", len(rows), err)
	}
	const heads = "seed byes rests credit buchholz sonneborn_berger opponents ladder_rating rating_deviation"
	if got := strings.Join(rows[0][13:], " "); got != heads {
		t.Errorf("got the columns %s", got)
	}
	byes := 0
	for _, row := range rows[1:] {
		if opponents := strings.Fields(row[19]); len(opponents) != 4 {
			t.Errorf("got the opponents %q", row[19])
		}
		if n := strings.Count(row[19], "bye"); row[14] != strconv.Itoa(n) || row[16] != strconv.Itoa(3*n) {
			t.Errorf("%d byes: got %q", n, row)
		} else {
			byes += n
		}
	}
	if byes != 4 {
		t.Errorf("got %d byes, want one in each of 4 rounds", byes)
	}
}

func TestRoundAndMatchGiveTheReasonOfAPairing(t *testing.T) {
	t.Parallel()
	site := siteOf(t, pairedSeasons(t, 32)...)
	for path, want := range map[string]string{
		"/leagues/swiss/rounds/3": "both have 6 points", "/leagues/swiss/matches/R2M1": "Why they meet: the next leg, with swapped seats",
		"/leagues/swiss/rounds/1": "both have 0 points", "/leagues/knockout/rounds/1": "place 1 of the bracket",
		"/leagues/ladder/players/P01": "ound 6", "/leagues/ladder/rounds/1": "a player with few matches",
	} {
		resp, err := http.Get(site + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(text), want) {
			t.Errorf("%s: status %d, want %q", path, resp.StatusCode, want)
		}
	}
	if got := get(t, site+"/leagues/swiss/rounds/99", nil); got.StatusCode != http.StatusNotFound {
		t.Errorf("a round that does not exist: status %d", got.StatusCode)
	}
}

// After the start the pages say whether a player may still join, and from which round on.
func TestPagesSayWhetherPlayersMayJoinLate(t *testing.T) {
	t.Parallel()
	host := &leagues{open: map[string]*manager.Manager{}}
	for _, m := range pairedSeasons(t, 31) {
		host.ids, host.open[m.ID()] = append(host.ids, m.ID()), m
	}
	o := Options{Host: host}
	seatOptions(&stool{})(&o)
	site := siteWith(t, o)
	for _, c := range []struct {
		path, want string
	}{
		{"/leagues/ladder/agents", "one that joins now plays from round 7 on"}, {"/leagues/ladder/agents", "league player --port 0"},
		{"/leagues/ladder/seat", "you play from round 7 on"}, {"/leagues/knockout/seat", "you can no longer take a seat"},
		{"/leagues/knockout/agents", "the bracket of a knockout is fixed at its start"},
	} {
		if got := string(fetched(t, site+c.path, "")); !strings.Contains(got, c.want) {
			t.Errorf("%s: there is no %q", c.path, c.want)
		}
	}
}

// The bracket appears on a page that was opened before the start, and follows the results without a reload.
func TestBracketIsLive(t *testing.T) {
	t.Parallel()
	site := siteOf(t, seasonOf(t, seasonPlan{id: "soon", names: agents(4), format: "knockout"}), pairedSeasons(t, 31)[1])
	tab := webtest.Start(t).Tab(t, webtest.Laptop)
	tab.Open(site + "/leagues/soon")
	tab.Await("no bracket yet", `document.querySelector("[data-live=bracket]").hidden`)
	webtest.Get[bool](tab, `(() => { const real = fetch; window.fetch = (url, o) => real(String(url).replace("/soon", "/knockout"), o);
		document.getElementById("live").dispatchEvent(new Event("look")); return true; })()`)
	tab.Await("the bracket", `document.querySelectorAll("[data-live=bracket]:not([hidden]) .pairing").length === 31`)
}

func TestLongPagesOfFormatsAreValidAndUsable(t *testing.T) {
	t.Parallel()
	tools, site := checkers(t, "audit"), siteOf(t, pairedSeasons(t, 31)...)
	paths := []string{"/leagues/swiss", "/leagues/knockout", "/leagues/ladder", "/leagues/swiss/figures", "/leagues/swiss/rounds/4",
		"/leagues/knockout/rounds/1", "/leagues/swiss/players/P01", "/leagues/ladder/agents", "/leagues/knockout?projector"}
	validate(t, tools, site, paths)
	tab := webtest.Start(t).Tab(t, webtest.Laptop)
	for _, path := range paths {
		for _, screen := range []webtest.Screen{webtest.Laptop, webtest.Phone.InDark()} {
			tab.Show(screen)
			tab.Open(site + path)
			axe(t, tools, tab, path+" on a "+screen.Name)
		}
	}
}
