package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"agentleague/protocol"
	"agentleague/web/webtest"
)

// serve puts a fakeLeague with everything that its pages can do on a port.
func (h *fakeLeague) serve(t *testing.T, s *stool) string {
	t.Helper()
	site := New(Options{
		Host: h, Record: h.record, Admin: func(string) error { return nil },
		Check:  func(context.Context, string, protocol.Role) (protocol.Report, error) { return aReport, nil },
		Enlist: func(context.Context, string, string, string, protocol.Role) (string, error) { return "P09", nil },
		Verify: func(context.Context, string, string) (p Proof, err error) {
			p.Add(protocol.Pass, "Every line of the journal has the hash of the line before", "31 lines were read.")
			p.Add(protocol.Skip, "The key follows from the league's secret", "It is revealed when the league is over.")
			return p, nil
		},
		Seat:   func(context.Context, string, string, string) (Seat, error) { return s, nil },
		Seated: func(_, key string) (Seat, bool) { return s, s != nil && key == s.Key() },
	})
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)
	return server.URL + "/leagues/" + fakeLeagueID
}

var aReport = protocol.Report{
	URL: "http://127.0.0.1:9101/mcp", Role: protocol.RolePlayer, Agent: nasty, Dialect: "B", Score: "31/33", Passed: 31,
	Failed: 1, Warned: 1, Skipped: 1, Verdict: "It plays, and loses matches by what it gets wrong.",
	Steps: []protocol.CheckStep{
		{ID: "P07", Name: "joins a match within 5 s", Status: protocol.Fail, Clause: "A match",
			Detail: "GAME_JOIN_ACK came after 7.2 s", Sent: `{"jsonrpc":"2.0"}`, Received: nasty,
			Fix: "Answer the invitation at once."},
		{ID: "P12", Name: "writes times in UTC", Status: protocol.Warn, Clause: "Envelope",
			Detail: "timestamp: no Z at the end", Fix: "Write 2025-01-15T10:30:00Z."},
		{ID: "P01", Name: "answers", Status: protocol.Pass, Clause: "Messages"},
		{ID: "P46", Name: "waits for half a minute", Status: protocol.Skip, Clause: "A match", Detail: "only with --long"},
	},
}

// narrow is true where a page is no wider than its screen.
const narrow = `document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1`

// sameTimeline compares the timeline on the page with the API's, line by line, and returns the differences.
const sameTimeline = `(async () => {
  const view = await (await fetch("/api/v1" + location.pathname)).json();
  const lines = [...document.querySelectorAll("#timeline > li")];
  if (lines.length !== view.timeline.length) return lines.length + " lines, the API has " + view.timeline.length;
  for (const [i, line] of lines.entries()) {
    const want = view.timeline[i];
    const got = { type: line.dataset.type, from: line.dataset.from, to: line.dataset.to };
    if (got.type !== want.message_type || got.from !== want.from || got.to !== want.to) return JSON.stringify([got, want]);
    if (JSON.stringify(JSON.parse(line.querySelector("pre").textContent)) !== JSON.stringify(want.message)) return "message " + (i + 1);
    if ((line.querySelector(".gist")?.textContent || "") !== (want.gist || "")) return "gist " + (i + 1);
    if (!!want.error !== !!line.querySelector(".fault")) return "error " + (i + 1);
    if (!!want.try !== !!line.querySelector(".took")) return "try " + (i + 1);
  }
  const stages = [...document.querySelectorAll(".stage")].map((e) => [Number(e.dataset.stage), e.dataset.first, Number(e.dataset.waited)]);
  const wanted = view.stages.map((s) => [s.stage, s.first || "", s.waited_ms]);
  if (JSON.stringify(stages) !== JSON.stringify(wanted)) return JSON.stringify([stages, wanted]);
  const board = [...document.querySelectorAll("#boards .position:not([hidden]) td")].map((e) => e.textContent);
  const last = view.positions ? view.positions[view.positions.length - 1].seen[0].board.cells : [];
  return JSON.stringify(board) === JSON.stringify(last) ? "" : "the board is " + board;
})()`

func TestMatchInABrowser(t *testing.T) {
	t.Parallel()
	b := webtest.Start(t)
	for _, game := range []string{"even_odd", "tic_tac_toe"} {
		h := openFakeLeague(t, game, 3)
		at := h.serve(t, nil)
		tab := b.Tab(t, webtest.Laptop)
		tab.Open(at + "/matches/R1M1")
		if wrong := webtest.Get[string](tab, sameTimeline); wrong != "" {
			t.Errorf("%s: the page and the API differ: %s", game, wrong)
		}
		stepThrough(t, tab, webtest.Get[int](tab, `document.querySelectorAll("#boards .position").length`))
		tab.Click("#m2 summary")
		tab.Await("the message", `document.querySelector("#m2 pre").checkVisibility()`)
		tab.Click("#tab-evidence")
		tab.Click("#draw button")
		tab.Await("the proof", `document.querySelector("#proof[data-ok=true] li[data-status=SKIP]")`)
	}
}

// stepThrough goes through the positions of a match with the keyboard, the move list and the buttons.
func stepThrough(t *testing.T, tab *webtest.Tab, positions int) {
	t.Helper()
	at := func() int { return webtest.Get[int](tab, `Number(document.getElementById("replay").dataset.step)`) }
	said := func() int {
		return webtest.Get[int](tab, `document.querySelectorAll("#timeline > li:not(.unsaid)").length`)
	}
	press := func(keys string) { tab.Do(chromedp.KeyEvent(keys)) }
	all := said()
	if at() != positions || positions < 2 {
		t.Errorf("at first: position %d of %d", at(), positions)
	}
	press(kb.Home)
	if at() != 1 || said() >= all {
		t.Errorf("Home: position %d, %d of %d lines", at(), said(), all)
	}
	if marks := webtest.Get[string](tab,
		`[...document.querySelectorAll("#boards .position:not([hidden]) td")].map((e) => e.textContent).join("")`); marks != "" {
		t.Errorf("the board of the first position has %q", marks)
	}
	press(kb.ArrowRight)
	if at() != 2 {
		t.Errorf("a move on: position %d", at())
	}
	press(kb.ArrowLeft)
	if at() != 1 {
		t.Errorf("a move back: position %d", at())
	}
	tab.Click("#moves tbody tr:last-child td:last-child a")
	if at() != positions {
		t.Errorf("the last move: position %d", at())
	}
	tab.Click("[data-go=play]")
	tab.Await("the replay to start again", `document.getElementById("replay").dataset.step === "1"`)
	tab.Await("the replay to go on automatically", `Number(document.getElementById("replay").dataset.step) > 1`)
	tab.Click("[data-go=last]")
}

// aStool is a seat that is asked for a move.
func aStool(game string) *stool {
	s := &stool{
		fresh: true, change: make(chan struct{}, 1), now: SeatNow{
			Seq: 1, News: []SeatNews{{Seq: 1, Text: "You won: even, drawn 8.", MatchID: "R1M1", Result: "WIN"}},
		},
	}
	turn := Turn{ID: "t1", MatchID: "R1M1", Opponent: "P02", Ask: "choose_parity",
		Deadline: time.Now().Add(20 * time.Second), Context: json.RawMessage(`{"opponent_id":"P02","round_id":1,"your_standings":{"wins":2,"losses":1,"draws":0}}`),
		Options: []json.RawMessage{json.RawMessage(`"even"`), json.RawMessage(`"odd"`)}}
	if game != "even_odd" {
		turn.Ask, turn.Context = "place_mark", json.RawMessage(`{"board":["X","","O","","X","","","",""],"mark":"O"}`)
		turn.Options = nil
		for _, cell := range []int{1, 3, 5, 6, 7, 8} {
			turn.Options = append(turn.Options, json.RawMessage(fmt.Sprint(cell)))
		}
	}
	s.now.Turns = []Turn{turn}
	return s
}

// Every page on every screen, in light and dark, with hostile names and answers: nothing complains, nothing is wider
// than its screen. The pictures are kept.
func TestLongDetailPagesOnEveryScreen(t *testing.T) {
	t.Parallel()
	b := webtest.Start(t)
	few, board := openFakeLeague(t, "even_odd", 4), openFakeLeague(t, "tic_tac_toe", 3)
	many, nobody := openFakeLeague(t, "even_odd", 200), openFakeLeague(t, "even_odd", 0)
	atFew, atBoard, atMany, atNobody := few.serve(t, aStool("even_odd")), board.serve(t, aStool("tic_tac_toe")),
		many.serve(t, nil), nobody.serve(t, aStool("even_odd"))
	pages := []struct{ name, url, seat, check string }{
		{name: "match", url: atFew + "/matches/R1M1"}, {name: "match-board", url: atBoard + "/matches/R1M1"},
		{name: "match-open", url: atFew + "/matches/R1M2"},
		{name: "player", url: atFew + "/players/P01"}, {name: "player-200", url: atMany + "/players/P02"},
		{name: "agents", url: atFew + "/agents"}, {name: "agents-200", url: atMany + "/agents"},
		{name: "agents-0", url: atNobody + "/agents"},
		{name: "check", url: atNobody + "/agents", check: "#check"}, {name: "seat-join", url: atNobody + "/seat"},
		{name: "seat", url: atNobody + "/seat", seat: "Dana"}, {name: "seat-board", url: atBoard + "/seat", seat: "cookie"},
	}
	screens := []webtest.Screen{webtest.Phone, webtest.Laptop.InDark(), webtest.Projector}
	if os.Getenv("LEAGUE_SHOTS") != "" { // screenshots are requested
		screens = append(screens, webtest.Phone.InDark(), webtest.Laptop, webtest.Projector.InDark())
	}
	for _, screen := range screens {
		tab := b.Tab(t, screen)
		for _, p := range pages {
			open(tab, p.url, p.seat, p.check)
			if !webtest.Get[bool](tab, narrow) {
				t.Errorf("%s is wider than a %s", p.name, screen.Name)
			}
			if bad := webtest.Get[int](tab,
				`document.querySelectorAll("main script, main img, main [style], main [onerror]").length`); bad > 0 {
				t.Errorf("%s: %d elements that no page has", p.name, bad)
			}
			tab.Shot(p.name)
		}
	}
}

// Every page with no player, one and a few, on the smallest screen and on a usual one: without script errors and
// horizontal scrolling, and with names as plain text.
func TestPagesOfAnySizeInABrowser(t *testing.T) { pagesOfSize(t, 0, 1, 3) }

// And with many.
func TestLongPagesOfManyInABrowser(t *testing.T) { pagesOfSize(t, 200) }

// pagesOfSize checks the pages of leagues with that number of players each.
func pagesOfSize(t *testing.T, sizes ...int) {
	t.Parallel()
	b := webtest.Start(t)
	phone, laptop := b.Tab(t, webtest.Phone), b.Tab(t, webtest.Laptop)
	for _, players := range sizes {
		at := openFakeLeague(t, "even_odd", players).serve(t, aStool("even_odd"))
		pages := []string{"", "/agents", "/run", "/seat"}
		for n := range min(players, 2) {
			pages = append(pages, "/players/"+protocol.AgentID(protocol.RolePlayer, n+1))
		}
		if players > 1 {
			pages = append(pages, "/matches/R1M1")
		}
		for _, page := range pages {
			for _, tab := range []*webtest.Tab{phone, laptop} {
				tab.Open(at + page)
				if !webtest.Get[bool](tab, narrow) {
					t.Errorf("%d players: %q is too wide", players, page)
				}
				if bad := webtest.Get[string](tab,
					`[...document.querySelectorAll("main script, main img, main [style], main [onerror]")].map((e) => e.outerHTML).join()`); bad != "" {
					t.Errorf("%d players: %q has %s", players, page, bad)
				}
				if title := webtest.Get[string](tab, `document.querySelector("h1").textContent`); title == "" {
					t.Errorf("%d players: %q has no heading", players, page)
				}
			}
		}
	}
}

// open loads a page as a seated player, or as the admin who checks an agent.
func open(tab *webtest.Tab, url, seat, check string) {
	switch {
	case seat == "cookie":
		tab.Open(url)
		tab.Do(
			chromedp.Evaluate[chromedp.Void](`fetch("/api/v1" + location.pathname, {method: "POST", headers: {"Content-Type": "application/json"}, body: '{"display_name":"Dana"}'})`,
				chromedp.EvalAwaitPromise))
		tab.Open(url)
		tab.Await("the turn", `document.querySelector(".turn .moves button")`)
	case seat != "":
		tab.Open(url)
		tab.Type("#display_name", seat+"\r")
		tab.Await("the turn", `document.querySelector(".turn .moves button")`)
	case check != "":
		tab.Open(strings.Replace(url, "/leagues/"+fakeLeagueID+"/agents", "/login?next=/leagues/"+fakeLeagueID+"/agents", 1))
		tab.Type("#token", "x\r")
		tab.Await("the agents", `document.querySelector("#endpoint")`)
		tab.Type("#endpoint", "http://127.0.0.1:9101/mcp\r")
		tab.Await("the report", `document.querySelector("#verdict[data-state=DONE]")`)
	default:
		tab.Open(url)
	}
}

// auditDetails holds the pages of this file against the rules of HTML and of accessibility.
func auditDetails(t *testing.T, tools string) {
	few, board, nobody := openFakeLeague(t, "even_odd", 4), openFakeLeague(t, "tic_tac_toe", 3),
		openFakeLeague(t, "even_odd", 0)
	atFew, atBoard, atNobody := few.serve(t, nil), board.serve(t, aStool("tic_tac_toe")),
		nobody.serve(t, aStool("even_odd"))
	validate(t, tools, strings.TrimSuffix(atFew, "/leagues/"+fakeLeagueID), []string{
		"/leagues/fake/matches/R1M1", "/leagues/fake/matches/R1M2", "/leagues/fake/players/P02", "/leagues/fake/agents",
	})
	validate(t, tools, strings.TrimSuffix(atBoard, "/leagues/"+fakeLeagueID),
		[]string{"/leagues/fake/live", "/leagues/fake/matches/R1M1", "/leagues/fake/seat"})
	tab := webtest.Start(t).Tab(t, webtest.Laptop)
	for _, p := range []struct{ name, url, seat, check string }{
		{name: "match", url: atFew + "/matches/R1M1"}, {name: "match with a board", url: atBoard + "/matches/R1M1"},
		{name: "open match", url: atFew + "/matches/R1M2"}, {name: "live wall", url: atBoard + "/live"},
		{name: "player", url: atFew + "/players/P01"}, {name: "agents", url: atFew + "/agents"},
		{name: "check", url: atNobody + "/agents", check: "#check"},
		{name: "seat", url: atNobody + "/seat", seat: "Dana"}, {
			name: "seat with a board", url: atBoard + "/seat", seat: "cookie",
		},
	} {
		tab.Show(webtest.Laptop)
		open(tab, p.url, p.seat, p.check)
		if p.name == "match" {
			tab.Click("#tab-evidence")
			tab.Click("#draw button")
			tab.Await("the proof", `document.querySelector("#proof").checkVisibility()`)
			axe(t, tools, tab, "the proof")
			tab.Click("#tab-waits")
			axe(t, tools, tab, "the timing")
			tab.Click("#tab-messages")
			webtest.Get[bool](tab, `document.querySelector("#m2 details").open = true`) // it may lie under the replay's bar
		}
		axe(t, tools, tab, p.name)
		tab.Show(webtest.Phone.InDark())
		axe(t, tools, tab, p.name+" on a dark phone")
	}
}
