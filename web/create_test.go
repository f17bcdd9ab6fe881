package web

import (
	"testing"

	"agentleague/web/webtest"
)

// The fields of the form stand apart, within their card, and a built-in player is offered for the games that it plays.
func TestCreateFormFieldsDoNotOverlap(t *testing.T) {
	t.Parallel()
	site := siteOf(t, seasonOf(t, seasonPlan{id: "over", names: agents(4), started: true, rounds: 3}))
	for _, screen := range []webtest.Screen{webtest.Laptop, webtest.Phone} {
		tab := webtest.Start(t).Tab(t, screen)
		tab.Open(site + "/create")
		const overlapping = `(() => {
			const shown = [...document.querySelectorAll(".form input:not([type=hidden]), .form select, .form textarea, .form label")]
				.filter((e) => e.offsetParent);
			const out = [];
			for (const [i, a] of shown.entries()) {
				const p = a.getBoundingClientRect(), card = a.closest(".card").getBoundingClientRect();
				if (p.left < card.left || p.right > card.right) out.push((a.id || a.htmlFor) + " leaves its card");
				for (const b of shown.slice(i + 1)) {
					const q = b.getBoundingClientRect();
					if (p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 1 && q.top < p.bottom - 1)
						out.push((a.id || a.htmlFor) + " over " + (b.id || b.htmlFor));
				}
			}
			return out.join(", ");
		})()`
		if got := webtest.Get[string](tab, overlapping); got != "" {
			t.Errorf("%v: %s", screen, got)
		}
		if got := webtest.Get[int](tab, `document.querySelectorAll("fieldset legend").length`); got != 7 {
			t.Errorf("%d sections, want 7", got)
		}
	}
}

func TestCreateFormOffersPlayersOfTheGame(t *testing.T) {
	t.Parallel()
	site := siteWith(t, Options{
		Host:  noLeagues{},
		Games: []Choice{{Value: "even_odd", Label: "Even/Odd"}, {Value: "nim", Label: "Nim"}},
		Strategies: []Choice{{Value: "random", Label: "random"}, {Value: "history", Label: "history", Games: []string{"even_odd"}},
			{Value: "solver", Label: "solver", Games: []string{"nim"}}},
	})
	tab := webtest.Start(t).Tab(t, webtest.Laptop)
	tab.Open(site + "/create?game_type=nim")
	const offered = `[...document.querySelectorAll("[data-games]")].filter((e) => e.offsetParent).map((e) => e.textContent).join()`
	if got := webtest.Get[string](tab, offered); got != "random,solver" {
		t.Errorf("for nim %s are offered", got)
	}
	if got := webtest.Get[string](tab, `(() => { const g = document.getElementById("game"); g.value = "even_odd";
		g.dispatchEvent(new Event("change")); return `+offered+` })()`); got != "random,history" {
		t.Errorf("for even_odd %s are offered", got)
	}
}
