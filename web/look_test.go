package web

import (
	"testing"

	"agentleague/league/manager"
	"agentleague/web/webtest"
)

// sampleLeagues are leagues with 0, 1, 3 and 200 players, and one of a usual size in the middle and at the end.
func sampleLeagues(t testing.TB) []*manager.Manager {
	return []*manager.Manager{
		seasonOf(t, seasonPlan{id: "nobody"}),
		seasonOf(t, seasonPlan{id: "one", names: agents(1)}),
		seasonOf(t, seasonPlan{id: "three", names: agents(3), started: true, rounds: 3}),
		seasonOf(t, seasonPlan{id: "ten", names: agents(10), started: true, rounds: 5, half: true}),
		seasonOf(t, seasonPlan{id: "over", names: agents(8), started: true, rounds: 7}),
		seasonOf(t, seasonPlan{id: "many", names: agents(200), started: true, rounds: 30, half: true}),
		seasonOf(t, seasonPlan{id: "hostile", names: hostile, started: true, rounds: 3, half: true}),
	}
}

// Screenshots of every page on every screen, for visual inspection.
func TestLongPagesOnEveryScreen(t *testing.T) {
	t.Parallel()
	site := siteOf(t, sampleLeagues(t)...)
	tab := webtest.Start(t).Tab(t, webtest.Laptop)
	look := func(name, path string, screens ...webtest.Screen) {
		tab.Open(site + path)
		for _, s := range screens {
			tab.Show(s)
			tab.Shot(name)
			if wide := webtest.Get[int](tab,
				`document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
				t.Errorf("%s on %s is %d too wide", path, s.Name, wide)
			}
		}
	}
	for _, p := range []struct{ name, path string }{
		{"index", "/leagues"}, {"nobody", "/leagues/nobody"}, {"one", "/leagues/one"}, {"three", "/leagues/three"},
		{"ten", "/leagues/ten"}, {"over", "/leagues/over"},
		{"many", "/leagues/many"}, {"hostile", "/leagues/hostile"}, {"run", "/leagues/ten/run"}, {"create", "/create"},
		{"login", "/login"}, {"problem", "/leagues/none"},
	} {
		look(p.name, p.path, webtest.Phone, webtest.Phone.InDark(), webtest.Laptop, webtest.Laptop.InDark())
	}
	for _, id := range []string{"nobody", "ten", "over", "many"} {
		look(id, "/leagues/"+id+"?projector", webtest.Projector, webtest.Projector.InDark())
		if tall := webtest.Get[int](tab,
			`document.documentElement.scrollHeight - document.documentElement.clientHeight`); tall > 0 {
			t.Errorf("%s is %d too tall for a wall", id, tall)
		}
	}
}

// Without JavaScript the same table, chart and crosstable are visible.
func TestALeagueIsReadWithoutScript(t *testing.T) {
	t.Parallel()
	site := siteOf(t, seasonOf(t, seasonPlan{id: "over", names: agents(8), started: true, rounds: 7}))
	browser := webtest.Start(t)
	read := func(s webtest.Screen) (out [4]int) {
		tab := browser.Tab(t, s)
		tab.Open(site + "/leagues/over")
		if followed := `document.querySelector("#live").dataset.seen !== undefined`; !s.NoScript {
			tab.Await("a page that follows the log", followed)
		} else if webtest.Get[bool](tab, followed) {
			t.Error("a script has run")
		}
		for i, what := range []string{".standings tbody tr", "svg polyline, svg path", "table.cross td", ".champion .name"} {
			out[i] = webtest.Get[int](tab, "document.querySelectorAll('"+what+"').length")
		}
		return out
	}
	with, without := read(webtest.Laptop), read(webtest.Laptop.WithoutScript())
	if with != without || without[0] != 8 || without[1] < 8 || without[2] < 56 || without[3] != 1 {
		t.Errorf("rows, lines, cells, champions: %v without script, %v with it", without, with)
	}
}
