package web

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"agentleague/config"
	"agentleague/web/webtest"
)

// A field of the form is a member of CREATE_LEAGUE or a key of a league's file that is read.
func TestEveryFieldOfTheCreateFormIsRead(t *testing.T) {
	t.Parallel()
	form, err := os.ReadFile("templates/create.html")
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]bool{}
	for _, name := range strings.Fields("league_id game_type like players referees cycles paired_draws house_{{.Value}} next") {
		read[name] = true
	}
	for _, f := range descriptionFields {
		read[f.key] = true
		change := config.Change{}
		change.Set(f.key, "")
		if _, err := config.LeagueDefaults().With(change); err != nil && strings.Contains(err.Error(), "unknown key") {
			t.Errorf("a league's file has no such key: %v", err)
		}
	}
	for _, field := range regexp.MustCompile(`(?:input|select|textarea)[^>]* name="([^"]+)"`).FindAllStringSubmatch(string(form), -1) {
		if !read[field[1]] {
			t.Errorf("the field %s is not read", field[1])
		}
	}
}

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
