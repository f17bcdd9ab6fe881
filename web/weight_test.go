package web

import (
	"testing"

	"agentleague/web/webtest"
)

// weight measures the first view of a page: the bytes that were transferred, and the cumulative layout shift.
const weight = `new Promise((done) => {
  const bytes = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .filter((e) => e.initiatorType !== "fetch").reduce((sum, e) => sum + e.transferSize, 0);
  let shift = 0;
  new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput) shift += e.value; }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done({ Bytes: bytes, Shift: shift }), 500);
})`

// The first view of a league of 30 needs at most 100 kB, and nothing in it jumps.
func TestTheFirstViewOfAClassIsSmallAndStill(t *testing.T) {
	t.Parallel()
	site := siteOf(t, seasonOf(t, seasonPlan{id: "class", names: agents(30), started: true, rounds: 10, half: true}))
	for _, screen := range []webtest.Screen{webtest.Phone, webtest.Laptop} {
		for _, path := range []string{"", "/live", "/players/P01", "/matches/R1M1"} {
			tab := webtest.Start(t).Tab(t, screen) // with an empty cache
			tab.Open(site + "/leagues/class" + path)
			got := webtest.Get[struct{ Bytes, Shift float64 }](tab, weight)
			if got.Bytes == 0 || got.Bytes > 100_000 || got.Shift >= 0.05 {
				t.Errorf("%s on %s: %.0f bytes, shifted by %.3f; want at most 100,000 bytes and less than 0.05", path, screen.Name, got.Bytes, got.Shift)
			}
		}
	}
}
