package web

import (
	"testing"

	"agentleague/league"
	"agentleague/web/webtest"
)

// seasons are leagues with 0, 1, 3 and 200 players, and one of a usual size in the middle and at the end.
func seasons(t testing.TB) []*league.Manager {
	return []*league.Manager{
		seasonOf(t, seasonPlan{id: "nobody"}),
		seasonOf(t, seasonPlan{id: "one", names: agents(1)}),
		seasonOf(t, seasonPlan{id: "three", names: agents(3), started: true, rounds: 3}),
		seasonOf(t, seasonPlan{id: "ten", names: agents(10), started: true, rounds: 5, half: true}),
		seasonOf(t, seasonPlan{id: "over", names: agents(8), started: true, rounds: 7}),
		seasonOf(t, seasonPlan{id: "many", names: agents(200), started: true, rounds: 30, half: true}),
		seasonOf(t, seasonPlan{id: "hostile", names: hostile, started: true, rounds: 3, half: true}),
	}
}

// Screenshots of every page on every screen, for people to look at.
func TestPagesOnEveryScreen(t *testing.T) {
	t.Parallel()
	site := siteOf(t, seasons(t)...)
	b := webtest.Start(t)
	for _, p := range []struct{ name, path string }{
		{"index", "/leagues"}, {"nobody", "/leagues/nobody"}, {"one", "/leagues/one"}, {"three", "/leagues/three"}, {"ten", "/leagues/ten"},
		{"over", "/leagues/over"}, {"many", "/leagues/many"}, {"hostile", "/leagues/hostile"}, {"run", "/leagues/ten/run"}, {"create", "/create"}, {"login", "/login"}, {"problem", "/leagues/none"},
	} {
		for _, s := range []webtest.Screen{webtest.Phone, webtest.Laptop, webtest.Laptop.InDark(), webtest.Phone.InDark()} {
			tab := b.Tab(t, s)
			tab.Open(site + p.path)
			tab.Shot(p.name)
		}
	}
	for _, id := range []string{"nobody", "ten", "over", "many"} {
		for _, s := range []webtest.Screen{webtest.Projector, webtest.Projector.InDark()} {
			tab := b.Tab(t, s)
			tab.Open(site + "/leagues/" + id + "?projector")
			tab.Shot(id)
		}
	}
}
