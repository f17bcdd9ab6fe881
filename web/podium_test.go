package web

import (
	"fmt"
	"strings"
	"testing"

	"agentleague/league/view"
	"agentleague/protocol"
	"agentleague/web/webtest"
)

func TestPodiumHasTheFirstThreeRanks(t *testing.T) {
	t.Parallel()
	for places, want := range map[string]string{
		"":                                   "",
		"1":                                  "1:P1",
		"1 2 3 4":                            "1:P1 2:P2 3:P3",
		"=1 =1 3 4":                          "=1:P1+P2 3:P3",
		"1 =2 =2 =2 5":                       "1:P1 =2:P2+P3+P4",
		"1 2 =3 =3 =3":                       "1:P1 2:P2 =3:P3+P4+P5",
		"=1 =1 =1 =1 5":                      "=1:P1+P2+P3+P4",
		"=1 =1 =1 =1 =1 =1 =1 =1 =1 =10 =10": "=1:P1+P2+P3+P4+P5+P6+3",
	} {
		var rows []view.Row
		for i, place := range strings.Fields(places) {
			rows = append(rows, view.Row{Place: place, Standing: protocol.Standing{Rank: i + 1, PlayerID: fmt.Sprintf("P%d", i+1)}})
		}
		var got []string
		for _, s := range podium(rows) {
			var ids []string
			for _, p := range s.Players {
				ids = append(ids, p.ID)
			}
			if s.More > 0 {
				ids = append(ids, fmt.Sprint(s.More))
			}
			got = append(got, s.Place+":"+strings.Join(ids, "+"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %s, want %s", places, got, want)
		}
	}
}

// A podium whose second rank is shared has no gap for the third.
func TestAPodiumHasNoGap(t *testing.T) {
	t.Parallel()
	tab := webtest.Start(t).Tab(t, webtest.Laptop)
	steps := map[int]bool{}
	for n := 3; n <= 12; n++ {
		id := fmt.Sprintf("of-%d", n)
		tab.Open(siteOf(t, seasonOf(t, seasonPlan{id: id, names: agents(n), started: true, rounds: n})) + "/leagues/" + id)
		for _, screen := range []webtest.Screen{webtest.Laptop, webtest.Phone} {
			tab.Show(screen)
			for _, wrong := range tab.Laws() {
				t.Errorf("%d players on %s: %s", n, screen.Name, wrong)
			}
		}
		steps[webtest.Get[int](tab, `document.querySelectorAll(".podium li").length`)] = true
	}
	if !steps[2] || !steps[3] {
		t.Errorf("the podiums have these numbers of steps: %v, want 2 and 3 among them", steps)
	}
}

// At the end of a league its page has a podium, and the admin goes on to the next season from there.
func TestAtTheEndThereIsAPodiumAndTheNextSeason(t *testing.T) {
	t.Parallel()
	site := siteOf(t, seasonOf(t, seasonPlan{id: "over", names: agents(8), started: true, rounds: 7}),
		seasonOf(t, seasonPlan{id: "old", names: agents(3), started: true, rounds: 3}), seasonOf(t, seasonPlan{id: "old_2"}))
	tab := webtest.Start(t).Tab(t, webtest.Laptop)
	tab.Open(site + "/leagues/over")
	got := webtest.Get[string](tab, `[...document.querySelectorAll(".podium .name")].map((e) => e.textContent).join()`)
	if got != "Agent Curie 3,Agent 6,Agent Ada 1" {
		t.Errorf("on the podium are %s", got)
	}
	const next = `document.querySelector(".next form").getAttribute("action") + " " + document.querySelector(".next code").textContent`
	if got, want := webtest.Get[string](tab, next), "/leagues/over/next-season league seasons 2 --of over"; got != want {
		t.Errorf("the next season is ordered by %q, want %q", got, want)
	}
	tab.Open(site + "/leagues")
	const won = `[...document.querySelectorAll(".leagues .card")].map((e) => e.querySelector("code").textContent + ": " + (e.querySelector(".won")?.textContent ?? "")).join()`
	if got, want := webtest.Get[string](tab, won), "old_2: ,over: Champion: Agent Curie 3,old: Champions: Agent Ada 1, Agent Curie 3"; got != want {
		t.Errorf("the list of leagues names %q, want %q", got, want)
	}
	tab.Open(site + "/leagues/old")
	if got = webtest.Get[string](tab, `document.querySelector(".next .button").getAttribute("href")`); got != "/leagues/old_2" {
		t.Errorf("the next season is at %s", got)
	}
}
