package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"agentleague/interop/foreign"
	"agentleague/rpc/rpctest"
	"agentleague/web"
	"agentleague/web/webtest"
)

// patientRoot returns a root with long timeouts, since a browser on a busy machine plays too. After an invalid answer
// the retry follows soon.
func patientRoot(t *testing.T, game string) string {
	t.Helper()
	root := rootFor(t, game)
	file := filepath.Join(root, "config", "system.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer(`"move_timeout_sec": 30`, `"move_timeout_sec": 170`, `"game_join_ack_timeout_sec": 5`, `"game_join_ack_timeout_sec": 60`,
		`"registration_window_sec": 60`, `"registration_window_sec": 600`, `"initial_delay_sec": 2.0`, `"initial_delay_sec": 0.05`).Replace(string(text))
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

// A pageOfLeague is a running manager as a browser sees it.
type pageOfLeague struct {
	t              *testing.T
	root, url, api string
}

// openPage starts a manager and a referee.
func openPage(t *testing.T, game, when string) *pageOfLeague {
	t.Helper()
	p := &pageOfLeague{t: t, root: patientRoot(t, game)}
	endpoint := start(t, "manager", "--root", p.root, "--port", "0", "--start-when", when).endpoint()
	start(t, "referee", "--root", p.root, "--port", "0", "--manager", endpoint, "--name", "Referee Alpha")
	base := strings.TrimSuffix(endpoint, "/mcp")
	p.url, p.api = base+"/leagues/league_2025_even_odd", base+"/api/v1/leagues/league_2025_even_odd"
	return p
}

func (p *pageOfLeague) player(name string) {
	p.t.Helper()
	start(p.t, "player", "--root", p.root, "--port", "0", "--manager", strings.Replace(p.url, "/leagues/league_2025_even_odd", "/mcp", 1), "--name", name)
}

// view reads a page's data.
func (p *pageOfLeague) view(path string, into any) bool {
	p.t.Helper()
	r, err := http.Get(p.api + path)
	if err != nil {
		return false
	}
	defer r.Body.Close()
	return r.StatusCode == http.StatusOK && json.NewDecoder(r.Body).Decode(into) == nil
}

// recorded waits for the record of a match.
func (p *pageOfLeague) recorded(match string) (v web.MatchView) {
	p.t.Helper()
	rpctest.Eventually(p.t, "the record of "+match, func() bool { return p.view("/matches/"+match, &v) && v.Recorded })
	return v
}

// A person takes a seat in a browser, loads the page again, and plays a league to its end: with the keyboard, or on the board.
func TestPersonPlaysASeatInABrowser(t *testing.T) {
	t.Parallel()
	b := webtest.Start(t)
	for game, play := range map[string]func(tab *webtest.Tab){
		"even_odd": func(tab *webtest.Tab) { tab.Do(chromedp.KeyEvent("2")) },
		"tic_tac_toe": func(tab *webtest.Tab) {
			for !webtest.Get[bool](tab, over) {
				tab.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".moves button")?.click()`))
				tab.Await("the next turn", `(`+over+`) || document.querySelector(".moves button")`)
			}
		},
	} {
		p := openPage(t, game, "players=2,referees=1")
		tab := b.Tab(t, webtest.Laptop)
		tab.Open(p.url + "/seat")
		tab.Type("#display_name", "Dana\r")
		tab.Await("a seat", `document.querySelector("#seat")?.dataset.seated === "true"`)
		if cookie := webtest.Get[string](tab, `document.cookie`); cookie != "" {
			t.Errorf("a script can read %q", cookie)
		}
		p.player("Agent Beta")
		tab.Await("a turn", `document.querySelector(".moves button")`)
		tab.Open(p.url + "/seat")
		tab.Await("the same turn after a reload", `document.querySelector(".moves button")`)
		if left := webtest.Get[int](tab, `parseInt(document.querySelector(".left").textContent)`); left < 1 || left > 170 {
			t.Errorf("%s: %d s are left", game, left)
		}
		play(tab)
		tab.Await("the end of the league", over)

		m := p.recorded("R1M1")
		mine := m.A
		if m.B.Name == "Dana" {
			mine = m.B
		}
		if mine.Name != "Dana" || mine.Moves == "" || game == "even_odd" && mine.Moves != "odd" {
			t.Errorf("%s: Dana played %+v", game, mine)
		}
		showsMatch(t, tab, p, m)
	}
}

// over is true when a seat's page shows the end of its league.
const over = `document.querySelector("#seat")?.dataset.over === "true"`

// showsMatch compares a match's page with the API, and verifies the match.
func showsMatch(t *testing.T, tab *webtest.Tab, p *pageOfLeague, m web.MatchView) {
	t.Helper()
	tab.Open(p.url + "/matches/" + m.MatchID)
	lines := webtest.Get[[]string](tab, `[...document.querySelectorAll("#timeline > li")].map((e) => [e.dataset.from, e.dataset.to, e.dataset.type].join(" "))`)
	for i, l := range m.Timeline {
		if want := fmt.Sprintf("%s %s %s", l.From, l.To, l.Type); i >= len(lines) || lines[i] != want {
			t.Fatalf("line %d of %d: want %q in %q", i+1, len(m.Timeline), want, lines)
		}
	}
	if len(lines) != len(m.Timeline) || len(lines) < 10 {
		t.Errorf("%d lines, the API has %d", len(lines), len(m.Timeline))
	}
	tab.Click("#tab-evidence")
	tab.Click("#draw button")
	tab.Await("the proof", `document.querySelector("#proof")`)
	if steps := webtest.Get[string](tab, `[...document.querySelectorAll("#proof li")].map((e) => e.dataset.status).join(" ")`); steps != "PASS PASS PASS PASS PASS" {
		t.Errorf("verified: %q", steps)
	}
}

// nastyName is a display name that would like to be more.
const nastyName = `<script>alert(1)</script>"><img src=x onerror=alert(2)>` + "\u202e"

// The admin pastes the endpoint of a foreign agent, reads the result of a check, adds the agent to the league, and sees
// its matches. Its name and its answers are shown as plain text.
func TestForeignAgentIsCheckedAndAddedInABrowser(t *testing.T) {
	t.Parallel()
	b := webtest.Start(t)
	p := openPage(t, "even_odd", "players=3,referees=1")
	p.player("Agent Beta")
	var kind foreign.Persona
	for _, k := range foreign.Kinds() {
		if k.Name == "B" {
			kind = k
		}
	}
	guest, err := foreign.NewPlayer(kind)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(guest.Close)
	liar := foreignPlayer(t, map[string]string{
		"handle_game_invitation": `{"message_type":"GAME_JOIN_ACK","accept":true}`,
		"choose_parity":          `{"message_type":"CHOOSE_PARITY_RESPONSE","parity_choice":"<script>alert(3)</script>\u202e<img src=x onerror=alert(4)>"}`,
	})

	tab := b.Tab(t, webtest.Laptop)
	tab.Open(p.url + "/agents")
	tab.Type("#endpoint", guest.Endpoint()+"\r")
	tab.Await("the login", `document.querySelector("#token")`)
	token, err := os.ReadFile(filepath.Join(p.root, "data", "admin.token"))
	if err != nil {
		t.Fatal(err)
	}
	tab.Type("#token", strings.TrimSpace(string(token))+"\r")
	checkAndAdd(tab, guest.Endpoint(), nastyName)
	if html := webtest.Get[string](tab, `document.querySelector("main").innerHTML`); strings.Contains(html, "<script") || strings.Contains(html, "<img") {
		t.Error("a name is more than text")
	}
	if n := webtest.Get[int](tab, `document.querySelectorAll("tr[data-agent^=P]").length`); n != 2 {
		t.Errorf("%d players, want 2", n)
	}
	tab.Open(p.url + "/agents")
	checkAndAdd(tab, liar, "Liar")

	var player web.PlayerView
	id := webtest.Get[string](tab, `[...document.querySelectorAll("tr[data-agent^=P]")].find((e) => e.textContent.includes("Liar")).dataset.agent`)
	rpctest.Eventually(t, "the results of the liar", func() bool { return p.view("/players/"+id, &player) && len(player.Results) == 2 })
	for _, r := range player.Results {
		p.recorded(r.MatchID)
	}
	if player = (web.PlayerView{}); !p.view("/players/"+id, &player) || len(player.Faults) == 0 {
		t.Fatalf("no errors of a liar: %+v", player)
	}
	tab.Open(p.url + "/players/" + id)
	if player.Faults[0].Code != "E004" || webtest.Get[int](tab, `Number(document.querySelector('#errors [data-code="E004"]').dataset.count)`) != player.Faults[0].Count {
		t.Errorf("its errors: %+v", player.Faults)
	}
	tab.Open(p.url + "/matches/" + player.Results[0].MatchID)
	tab.Await("what went wrong", `document.querySelector("#timeline .fault")`)
	if html := webtest.Get[string](tab, `document.querySelector("main").innerHTML`); strings.Contains(html, "<script") || strings.Contains(html, "<img") {
		t.Error("an answer is more than text")
	}
	tab.Open(p.url + "/players/" + id)
	tab.Click("form.inline button")
	tab.Await("a check of the player", `document.querySelector("#verdict[data-state=DONE]")`)
}

// checkAndAdd checks an agent on the agents page and adds it under a name.
func checkAndAdd(tab *webtest.Tab, endpoint, name string) {
	tab.Await("the agents page", `document.querySelector("#endpoint")`)
	tab.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#role").value = "player"`))
	tab.Type("#endpoint", endpoint+"\r")
	tab.Await("the report", `document.querySelector("#verdict[data-state=DONE]")`)
	tab.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector("#display_name").value = %q; document.querySelector("#enlist button").click()`, name)))
	tab.Await("the agent in the league", `document.querySelector("tr[data-agent^=P]") && location.hash.length > 1`)
}

// Every link of a league that was really played leads somewhere, for visitors and for the admin, and its pages keep the
// laws of layout.
func TestLongEveryLinkOfARealLeagueWorks(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "root")
	p := start(t, "run", "--root", root, "--players", "6", "--game", "connect_four", "--port", "0", "--serve")
	p.says("The agents keep running")
	site := regexp.MustCompile(`its page at (http://[^ ]+)/\.`).FindStringSubmatch(p.errs.String())
	if site == nil {
		t.Fatalf("it does not tell where its page is: %s", p.errs.String())
	}
	token, err := os.ReadFile(filepath.Join(root, "data", "admin.token"))
	if err != nil {
		t.Fatal(err)
	}
	for _, admin := range []bool{false, true} {
		tab := webtest.Start(t).Tab(t, webtest.Laptop)
		tab.Forgive() // a page that is left aborts its requests
		if admin {
			tab.Open(site[1] + "/login")
			tab.Type("input[name=token]", strings.TrimSpace(string(token)))
			tab.Press("\r")
			tab.Await("the admin's page", `document.querySelector("form[action$='/logout']")`)
		}
		w := webtest.Walk{Site: site[1], Screens: []webtest.Screen{webtest.Phone, webtest.Laptop, webtest.Projector}, Each: 2}
		w.Go(tab, "/", func(path string) bool { return strings.HasPrefix(path, "/logout") })
		t.Logf("admin %v: %d pages, %d links, %d looks", admin, w.Pages, w.Links, w.Looks)
	}
}
