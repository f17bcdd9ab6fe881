package cli

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"agentleague/game/catalog"
	"agentleague/web"
	"agentleague/web/webtest"
)

// choose clicks the first move that is offered, unless that was done in this turn.
const choose = `(() => {
  const turn = document.querySelector("#seat .turn[data-turn]"), first = turn?.querySelector(".moves button:not(:disabled)");
  if (!first || window.chosen === turn.dataset.turn || !first.checkVisibility()) return;
  window.chosen = turn.dataset.turn;
  first.click();
})()`

// A person plays a match of every game that there is in a browser, by clicking the first move each time, and sees the
// rules beside it. One manager has a league of each game, with a built-in player and referee.
func TestLongAPersonPlaysEveryGameInABrowser(t *testing.T) {
	t.Parallel()
	root := patientRoot(t, "even_odd")
	endpoint := start(t, "manager", "--root", root, "--port", "0", "--start-when", "players=2,referees=1").endpoint()
	tab := webtest.Start(t).Tab(t, webtest.Laptop)
	for _, g := range catalog.All() {
		info := g.Info()
		start(t, "create", info.Type, "--game", info.Type, "--players", "2", "--referees", "1", "--bots", "random",
			"--manager", endpoint, "--root", root).status()
		base := strings.TrimSuffix(endpoint, "/mcp")
		p := &pageOfLeague{t: t, root: root, url: base + "/leagues/" + info.Type, api: base + "/api/v1/leagues/" + info.Type}
		tab.Open(p.url + "/seat")
		tab.Type("#display_name", "Dana\r")
		tab.Await("a turn of "+info.Type, `document.querySelector("#seat .moves button")`)
		if rules := webtest.Get[string](tab, `document.querySelector(".know").textContent`); !strings.Contains(rules, info.Rules) {
			t.Errorf("%s: the page has the rules %q", info.Type, rules)
		}
		for !webtest.Get[bool](tab, over) {
			tab.Do(chromedp.Evaluate[chromedp.Void](choose))
			tab.Await("the next turn", `(`+over+`) || document.querySelector("#seat .turn[data-turn]") && document.querySelector("#seat .turn[data-turn]").dataset.turn !== window.chosen`)
		}
		m := p.recorded("R1M1")
		dana := m.A
		if m.B.Name == "Dana" {
			dana = m.B
		}
		if dana.Name != "Dana" || dana.Forfeit != nil || dana.Moves == "" || len(m.Forfeits()) > 0 {
			t.Errorf("%s: Dana played %+v in %+v", info.Type, dana, m.StatusWords())
		}
		if info.MaxTurns > 1 && len(m.Positions) < 2 {
			t.Errorf("%s: the match has %d positions to go through", info.Type, len(m.Positions))
		}
		showsPositions(t, tab, p, m)
	}
}

// showsPositions checks the positions of a match on the page, from the first to the last.
func showsPositions(t *testing.T, tab *webtest.Tab, p *pageOfLeague, m web.MatchView) {
	t.Helper()
	tab.Open(p.url + "/matches/" + m.MatchID)
	if n := webtest.Get[int](tab, `document.querySelectorAll("#boards .position").length`); n != len(m.Positions) {
		t.Errorf("%s: %d of %d positions are on the page", m.GameType, n, len(m.Positions))
	}
	if len(m.Positions) < 2 {
		return
	}
	tab.Click("[data-go=first]")
	if at := webtest.Get[string](tab, `document.querySelector("#boards .position:not([hidden])").dataset.board`); at != "0" {
		t.Errorf("%s: the first position is %s", m.GameType, at)
	}
}
