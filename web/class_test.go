package web

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"agentleague/league/manager"
	"agentleague/league/view"
	"agentleague/web/figures"
	"agentleague/web/webtest"
)

// classes are leagues of these sizes, before, during and after.
func classes(t testing.TB, sizes ...int) (all []*manager.Manager) {
	for _, n := range sizes {
		rounds := n - 1
		if n == 200 {
			rounds = 40
		}
		all = append(all, seasonOf(t, seasonPlan{
			id: fmt.Sprintf("before-%d", n), names: agents(n - 2), invited: []string{"Grace", "Linus"},
			opts: func(o *manager.Options) {
				o.Endpoint, o.MinPlayers = "http://192.168.1.10:8000/mcp", n
				o.Window = time.Since(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) + 7*time.Minute
			},
		}),
			seasonOf(t, seasonPlan{id: fmt.Sprintf("during-%d", n), names: agents(n), started: true,
				rounds: rounds / 2, half: true}),
			seasonOf(t, seasonPlan{id: fmt.Sprintf("after-%d", n), names: agents(n), started: true,
				rounds: rounds, limit: rounds}))
	}
	return all
}

// onTheWall measures a slide: the parts outside of the screen, the smallest text, and the size of the first name.
const onTheWall = `(() => {
  const shown = (e) => e.checkVisibility() && e.getClientRects().length > 0;
  const texts = [...document.querySelectorAll("main *")].filter((e) => shown(e) && !e.closest(".unseen") && [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()));
  const size = (e) => {
    const svg = e.closest("svg");
    const scale = svg && svg.viewBox.baseVal ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    return parseFloat(getComputedStyle(e).fontSize) * scale;
  };
  const names = [...document.querySelectorAll(".slide.now .lines .name")].filter(shown);
  return {
    below: Math.max(0, ...texts.map((e) => e.getBoundingClientRect().bottom)) - innerHeight,
    wide: document.documentElement.scrollWidth - innerWidth, tall: document.documentElement.scrollHeight - innerHeight,
    smallest: Math.min(...texts.map(size)), which: texts.map((e) => [size(e), e.outerHTML.slice(0, 80)]).sort((a, b) => a[0] - b[0])[0]?.[1] ?? "",
    name: names.length ? size(names[0]) : 0, slide: document.querySelector(".slide.now h2").textContent,
    players: [...document.querySelectorAll(".slide.now .lines [data-player]")].filter(shown).map((e) => e.dataset.player),
    slides: document.querySelectorAll(".slide").length, cut: names.filter((e) => e.scrollWidth > e.clientWidth).length,
  };
})()`

type measured struct {
	Below, Wide, Tall, Smallest, Name, Cut float64
	Which, Slide                           string
	Players                                []string
	Slides                                 int
}

// The projector shows all players, in letters twice as large as before, and every slide fits.
func TestTheProjectorShowsEverybody(t *testing.T)               { everybodyIsShown(t, 30) }
func TestLongTheProjectorShowsEverybodyOfAnyClass(t *testing.T) { everybodyIsShown(t, 6, 200) }

func everybodyIsShown(t *testing.T, sizes ...int) {
	t.Parallel()
	site := siteOf(t, classes(t, sizes...)...)
	tab := webtest.Start(t).Tab(t, webtest.Projector)
	for _, n := range sizes {
		for _, when := range []string{"before", "during", "after"} {
			id := fmt.Sprintf("%s-%d", when, n)
			tab.Open(site + "/leagues/" + id + "?projector=600")
			tab.Await("the first slide", `document.getElementById("live").dataset.slide === "0"`)
			seen, slides := map[string]bool{}, webtest.Get[measured](tab, onTheWall).Slides
			for i := range slides {
				m := webtest.Get[measured](tab, onTheWall)
				for _, player := range m.Players {
					seen[player] = true
				}
				if m.Below > 0 || m.Wide > 0 || m.Tall > 0 {
					t.Errorf("%s, %q: %+v is outside of the screen", id, m.Slide, m)
				}
				if m.Cut > 0 {
					t.Errorf("%s, %q: %v names are cut", id, m.Slide, m.Cut)
				}
				if m.Smallest < 23 || len(m.Players) > 0 && m.Name < 42 {
					t.Errorf("%s, %q: the smallest text has %.1f px (%s), a name %.1f", id, m.Slide, m.Smallest, m.Which, m.Name)
				}
				tab.Shot(fmt.Sprintf("%s-slide%d", id, i+1))
				tab.Press(kb.ArrowRight)
			}
			players := n
			if when == "before" {
				players = n - 2
			}
			if len(seen) != players {
				t.Errorf("%s: %d of %d players are on a slide", id, len(seen), players)
			}
		}
	}
}

// The slides turn by themselves, over and over, also while the log grows; the space bar holds them.
func TestSlidesTurnByThemselves(t *testing.T) {
	t.Parallel()
	m := seasonOf(t, seasonPlan{id: "ten", names: agents(10), started: true, rounds: 5, half: true})
	tab := webtest.Start(t).Tab(t, webtest.Projector)
	tab.Open(siteOf(t, m) + "/leagues/ten?projector=1")
	at := func(n string) string { return `document.getElementById("live").dataset.slide === "` + n + `"` }
	tab.Await("the second slide", at("1"))
	if err := m.Orders.Withdraw(t.Context(), "P10", "a test"); err != nil {
		t.Fatal(err)
	}
	tab.Await("a page with the withdrawal",
		`document.querySelector("[data-player=P10].left") && document.querySelectorAll(".slide.now").length === 1`)
	tab.Await("the last slide", at("3"))
	tab.Await("the first again", at("0"))
	tab.Press(" ")
	tab.Await("a sign that they are held", `document.getElementById("turns").textContent.startsWith("❚❚")`)
}

// Without a script all slides are visible, one below the other.
func TestSlidesAreReadWithoutScript(t *testing.T) {
	t.Parallel()
	tab := webtest.Start(t).Tab(t, webtest.Projector.WithoutScript())
	m := seasonOf(t, seasonPlan{id: "ten", names: agents(10), started: true, rounds: 5, half: true})
	tab.Open(siteOf(t, m) + "/leagues/ten?projector")
	if n := webtest.Get[int](tab, `[...document.querySelectorAll(".slide")].filter((e) => e.checkVisibility()).length`); n != 4 {
		t.Errorf("%d of 4 slides can be seen", n)
	}
}

// Players that are equal by every rule share a rank, and the rule between two rows is shown on demand.
func TestRanksAreSharedAndTiesExplainedOnDemand(t *testing.T) {
	t.Parallel()
	m := seasonOf(t, seasonPlan{id: "ten", names: agents(10), started: true, rounds: 5, half: true})
	tab := webtest.Start(t).Tab(t, webtest.Laptop)
	tab.Open(siteOf(t, m) + "/leagues/ten")
	ranks := webtest.Get[string](tab,
		`[...document.querySelectorAll(".standings td.rank")].map((e) => e.textContent).join()`)
	if ranks != "1,2,3,=4,=4,=6,=6,8,9,10" {
		t.Errorf("the ranks are %s", ranks)
	}
	seen := `document.querySelector(".tie bdi").checkVisibility()`
	if webtest.Get[bool](tab, seen) {
		t.Error("the reason of a tie is shown to who did not ask")
	}
	tab.Click(".tie summary")
	tab.Await("the reason", seen)
	if why := webtest.Get[string](tab, `document.querySelector(".tie bdi").textContent`); !strings.Contains(why, "share the rank") {
		t.Errorf("the reason is %q", why)
	}
	if err := m.Orders.Withdraw(t.Context(), "P10", "a test"); err != nil {
		t.Fatal(err)
	}
	tab.Await("a page that was made anew, with the reason open", `document.querySelector("tr.left") && `+seen)
}

// The table of a class has a line for each player and fits its card. On a phone the round in play comes before it.
func TestTheTableOfAClassHasALineForEachPlayer(t *testing.T) {
	t.Parallel()
	site := siteOf(t, seasonOf(t, seasonPlan{id: "class", names: agents(30), started: true, rounds: 10, half: true}))
	tab := webtest.Start(t).Tab(t, webtest.Laptop)
	for _, c := range []struct {
		width, row int64
		heads      string
		roundFirst bool
	}{
		{390, 45, "# Player Points", true},
		{1280, 45, "# Player Points P W D L Rating Form", false},
		{1366, 45, "# Player Points P W D L Rating Form", false},
		{1440, 45, "# Player Points P W D L Rating Form", false},
	} {
		tab.Show(webtest.Screen{Name: fmt.Sprint(c.width), Width: c.width, Height: 844, Scale: 1, Mobile: c.width < 500})
		tab.Open(site + "/leagues/class")
		got := webtest.Get[struct {
			Row, Over, Named int64
			Heads            string
			RoundFirst       bool
		}](tab, `(() => {
			const table = document.querySelector(".standings"), box = table.parentElement, top = (part) => document.querySelector("[data-live=" + part + "]").getBoundingClientRect().top;
			return {
				row: Math.max(...[...table.querySelectorAll("tbody tr")].map((e) => e.offsetHeight)), over: box.scrollWidth - box.clientWidth,
				named: document.querySelectorAll("[data-live=chart] .label").length,
				heads: [...table.querySelectorAll("thead th")].filter((e) => e.checkVisibility() && !e.querySelector(".unseen")).map((e) => e.textContent).join(" "),
				roundFirst: top("round") < top("standings"),
			};
		})()`)
		if got.Row > c.row || got.Over > 0 || got.Heads != c.heads || got.RoundFirst != c.roundFirst || got.Named != figures.Named {
			t.Errorf("%d px: got %+v, want rows of at most %d px, %q, round first: %v", c.width, got, c.row, c.heads, c.roundFirst)
		}
	}
}

// A chart and a crosstable have all players: for a class on the live page, for a large league on a separate page.
func TestLongFiguresHaveAllPlayers(t *testing.T) {
	t.Parallel()
	site := siteOf(t, classes(t, 6, 30, 200)...)
	for path, want := range map[string]int{
		"/leagues/during-30": 30, "/leagues/during-200": view.FiguresFirst, "/leagues/during-200/figures": 200,
		"/leagues/before-6/figures": 0,
	} {
		var v figuresView
		get(t, site+"/api/v1"+path, &v)
		if strings.Contains(path, "before") {
			want = len(v.Chart.Lines) // nothing was played
		} else if len(v.Crosstable.Rows) != want {
			t.Errorf("%s: the crosstable has %d players, want %d", path, len(v.Crosstable.Rows), want)
		}
		if len(v.Chart.Lines) != want {
			t.Errorf("%s: the chart has %d lines, want %d", path, len(v.Chart.Lines), want)
		}
	}
	tab := webtest.Start(t).Tab(t, webtest.Laptop)
	tab.Open(site + "/leagues/during-200")
	tab.Click(`[data-live="cross"] .more a`)
	tab.Await("all players", `location.pathname.endsWith("/figures") && document.querySelectorAll(".chart polyline").length === 200`)
	if named := webtest.Get[int](tab, `document.querySelectorAll(".chart .label").length`); named != figures.Named {
		t.Errorf("%d of 200 lines have a name, want the first %d", named, figures.Named)
	}
	if cells := webtest.Get[int](tab, `document.querySelectorAll(".cross td").length`); cells != 200*200 {
		t.Errorf("the crosstable has %d cells", cells)
	}
}

// Screenshots of a class of 6, 30 and 200, before, during and after, for visual inspection.
func TestLongClassesOnEveryScreen(t *testing.T) {
	t.Parallel()
	site := siteOf(t, classes(t, 6, 30, 200)...)
	laptop := webtest.Laptop
	laptop.Width, laptop.Height = 1280, 800
	tab := webtest.Start(t).Tab(t, laptop)
	for _, n := range []int{6, 30, 200} {
		for _, when := range []string{"before", "during", "after"} {
			id := fmt.Sprintf("%s-%d", when, n)
			tab.Open(site + "/leagues/" + id)
			for _, s := range []webtest.Screen{webtest.Phone, laptop} {
				tab.Show(s)
				tab.Shot(id)
				if !webtest.Get[bool](tab, narrow) {
					t.Errorf("%s is wider than a %s", id, s.Name)
				}
			}
		}
	}
	tab.Open(site + "/leagues/during-200/figures")
	tab.Shot("figures-200")
}
