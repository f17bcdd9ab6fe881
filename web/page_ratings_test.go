package web

import (
	"encoding/csv"
	"regexp"
	"strings"
	"testing"
)

func TestRatingsStandBesidePoints(t *testing.T) {
	t.Parallel()
	site := siteOf(t, seasonOf(t, seasonPlan{id: "over", names: agents(4), started: true, rounds: 3}),
		seasonOf(t, seasonPlan{id: "ten", names: agents(4)}))
	rating := regexp.MustCompile(`\d{3,4} ±\d+`)
	if page := pageAt(t, site+"/leagues/over"); len(rating.FindAllString(page, -1)) != 4 {
		t.Errorf("want four ratings in\n%s", page)
	}
	if page := pageAt(t, site+"/leagues/ten"); strings.Contains(page, "Rating") {
		t.Error("a league without a result shows ratings")
	}
	if page := pageAt(t, site+"/leagues/over/players/P01"); !rating.MatchString(page) {
		t.Errorf("the player's page shows no rating:\n%s", page)
	}
	for _, file := range []string{"standings.csv", "players.csv"} {
		rows, err := csv.NewReader(strings.NewReader(pageAt(t, site+"/leagues/over/export/"+file))).ReadAll()
		if err != nil || len(rows) != 5 {
			t.Fatalf("%s: %d rows, %v", file, len(rows), err)
		}
		for _, row := range rows[1:] {
			if last := row[len(row)-4:]; last[0] == "" || last[1] == "" || last[3] != "3" && last[3] != "2" { // one match was forfeited
				t.Errorf("%s: the rating is %q", file, last)
			}
		}
	}
}

func TestRatingsOverAllLeaguesAreOnAPage(t *testing.T) {
	t.Parallel()
	first := seasonOf(t, seasonPlan{id: "first", names: agents(4), started: true, rounds: 3})
	second := seasonOf(t, seasonPlan{id: "second", names: agents(4), started: true, rounds: 3})
	site := siteOf(t, first, second, seasonOf(t, seasonPlan{id: "ten", names: agents(4)}))
	if page := pageAt(t, site+"/leagues"); !strings.Contains(page, `href="/ratings"`) {
		t.Error("nothing leads to the ratings")
	}
	for range 2 { // the second time from the cache
		page := pageAt(t, site+"/ratings")
		for _, words := range []string{`2 leagues`, `95 % interval`, `<td class="n">2</td><td class="n">6</td>`} {
			if !strings.Contains(page, words) {
				t.Errorf("want %q in\n%s", words, page)
			}
		}
	}
	var told ratingsView
	get(t, site+"/api/v1/ratings", &told)
	if len(told.Games) != 1 || len(told.Games[0].Players) != 4 || told.Games[0].Players[0].Rating <= told.Games[0].Players[3].Rating {
		t.Errorf("got %+v", told)
	}
	empty := siteOf(t, seasonOf(t, seasonPlan{id: "ten", names: agents(4)}))
	if page := pageAt(t, empty+"/ratings"); !strings.Contains(page, "No league is over yet.") {
		t.Errorf("got\n%s", page)
	}
}
