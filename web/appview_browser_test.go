package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agentleague/web/webtest"
)

// stubHost is a page with a view in it. It answers calls of tools with values of the test, and stores the calls.
const stubHost = `<!DOCTYPE html><html lang="en"><title>Host</title><link rel="icon" href="data:,"><script>
"use strict";
const said = [], answers = [];
let view;
const post = (message) => view.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
const result = (answer) => post({ method: "ui/notifications/tool-result", params: answer });
const page = () => view.contentDocument;
const calls = () => said.filter((one) => one.method === "tools/call").map((one) => one.params.name + " " + JSON.stringify(one.params.arguments));
addEventListener("message", ({ source, data }) => {
  if (source !== view.contentWindow) return;
  said.push(data);
  if (data.method === "ui/initialize") post({ id: data.id, result: { protocolVersion: "2026-01-26", hostInfo: {}, hostCapabilities: %s, hostContext: {} } });
  else if (data.method === "tools/call" && answers.length) post({ id: data.id, ...answers.shift() });
});
addEventListener("load", () => {
  view = document.createElement("iframe");
  view.title = "A view"; view.width = 600; view.height = 700; view.src = "/view";
  document.body.append(view);
});
</script><header><h1>A host</h1></header>`

// A viewHost is a tab with the page above.
type viewHost struct{ *webtest.Tab }

// hostOf shows a view in a host with some capabilities.
func hostOf(t *testing.T, b *webtest.Browser, name, capabilities string) viewHost {
	t.Helper()
	tab := b.Tab(t, webtest.Laptop)
	tab.Open(servedView(t, name, capabilities))
	tab.Await("the handshake", `said.some((one) => one.method === "ui/notifications/initialized")`)
	return viewHost{tab}
}

// servedView serves such a host, and the view at /view.
func servedView(t *testing.T, name, capabilities string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		text := fmt.Sprintf(stubHost, capabilities)
		if r.URL.Path == "/view" {
			text = AppView(name, "A view")
		}
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// run runs a statement in the host.
func (h viewHost) run(statement string) {
	webtest.Get[bool](h.Tab, "(() => { "+statement+"; return true; })()")
}

// shows waits until the view has a text.
func (h viewHost) shows(text string) {
	quoted, _ := json.Marshal(text)
	h.Await(text, "page().body.innerText.includes("+string(quoted)+")")
}

const someTurn = `{ structuredContent: { status: "your_turn", next: "", turn: { turn_id: "R1M1-turn1", match_id: "R1M1", game_type: "even_odd",
 opponent_id: "P02", choices: ["even", "odd"], seconds_left: %s, deadline: "2999-01-01T00:00:00Z" } } }`

// Views in a host that answers as no league does: late, wrongly, or not at all.
func TestViewsInAHost(t *testing.T) {
	t.Parallel()
	b := webtest.Start(t)
	t.Run("what went wrong is told, and the person goes on", func(t *testing.T) { toldWhatWentWrong(t, b) })
	t.Run("a turn asks nothing by itself, and hears its host alone", func(t *testing.T) { asksNothing(t, b) })
	t.Run("a host that passes no calls on has no buttons", func(t *testing.T) { hasNoButtons(t, b) })
	t.Run("the table is that of the newest answer", func(t *testing.T) { newestTable(t, b) })
}

func toldWhatWentWrong(t *testing.T, b *webtest.Browser) {
	h := hostOf(t, b, "turn", `{ serverTools: {} }`)
	h.run(`post({ method: "ui/notifications/tool-input", params: { arguments: { key: "seat_1" } } })`)
	h.run(`result(` + fmt.Sprintf(someTurn, "600") + `)`)
	h.shows("even")
	h.run(`answers.push({ result: { isError: true, content: [{ type: "text", text: "<b>try</b> another" }] } }); page().querySelector("button").click()`)
	h.shows("<b>try</b> another")
	h.Await("the buttons again", `!page().querySelector("button").disabled && page().querySelectorAll("button").length === 2`)
	h.run(`answers.push({ result: { structuredContent: { status: "played", next: "" } } }, { error: { code: -1, message: "the host is tired" } });
		page().querySelector('[data-move="odd"]').click()`)
	h.shows("the host is tired")
	h.run(`answers.push({ result: { content: [{ type: "text", text: "words" }, { type: "text", text: '{"status":"league_over","next":""}' }] } });
		page().querySelector("#wait button").click()`)
	h.shows("The league is over")
	want := `make_move {"key":"seat_1","turn_id":"R1M1-turn1","move":"even"}|make_move {"key":"seat_1","turn_id":"R1M1-turn1","move":"odd"}|` +
		`wait_for_turn {"key":"seat_1","wait_seconds":25}|wait_for_turn {"key":"seat_1","wait_seconds":25}`
	if got := strings.Join(webtest.Get[[]string](h.Tab, `calls()`), "|"); got != want {
		t.Errorf("got the calls %s, want %s", got, want)
	}
}

func asksNothing(t *testing.T, b *webtest.Browser) {
	h := hostOf(t, b, "turn", `{ serverTools: {} }`)
	h.run(`view.contentWindow.eval('postMessage({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: { structuredContent: { status: "left" } } }, "*")')`)
	h.run(`post({ id: "first", method: "ping" })`)
	h.Await("that all of it was heard", `said.some((one) => one.id === "first")`)
	if webtest.Get[bool](h.Tab, `!!page().getElementById("status")`) {
		t.Error("the view hears others than its host")
	}
	h.run(`result(` + fmt.Sprintf(someTurn, "0") + `)`)
	h.shows("Time is up: show what happened")
	h.run(`post({ id: "a", method: "ping" }); post({ id: "b", method: "juggle" }); post({ id: "c", method: "ui/resource-teardown", params: {} })`)
	h.Await("the answers", `said.filter((one) => !one.method).length === 4`)
	if got := webtest.Get[string](h.Tab, `said.filter((one) => !one.method).map((one) => one.id + (one.error ? one.error.code : "")).join(" ")`); got != "first a b-32601 c" {
		t.Errorf("got the answers %s", got)
	}
	if got := webtest.Get[[]string](h.Tab, `calls()`); len(got) != 0 {
		t.Errorf("the view calls %q", got)
	}
}

func hasNoButtons(t *testing.T, b *webtest.Browser) {
	still := hostOf(t, b, "turn", `{}`)
	still.run(`result(` + fmt.Sprintf(someTurn, "600") + `)`)
	still.shows("Legal moves: even, odd. This host passes no click on")
	if webtest.Get[bool](still.Tab, `!!page().querySelector("button")`) {
		t.Error("there are buttons that do nothing")
	}
}

func newestTable(t *testing.T, b *webtest.Browser) {
	const league = `({ structuredContent: { state: "RUNNING_LEAGUE", round: 1, total_rounds: 9, matches_completed: COUNT, total_matches: 90, results: [],
		standings: Array.from({ length: 60 }, (_, i) => ({ rank: i + 1, player_id: "P" + i, display_name: "Ada " + COUNT, played: 1, wins: 1, draws: 0, losses: 0, points: 3 })) } })`
	h := hostOf(t, b, "table", `{}`)
	for _, n := range []string{"7", "5"} { // the second is older
		h.run(`result(` + strings.ReplaceAll(league, "COUNT", n) + `)`)
	}
	h.run(`post({ id: "last", method: "ping" })`)
	h.Await("that all of it was heard", `said.some((one) => one.id === "last")`)
	h.shows("7 OF 90 MATCHES")
	h.shows("Top 50 of 60 shown.")
	if rows := webtest.Get[int](h.Tab, `page().querySelectorAll("tbody tr").length`); rows != 50 {
		t.Errorf("the table has %d rows, want 50", rows)
	}
	live := hostOf(t, b, "table", `{ serverTools: {} }`)
	live.Await("a call", `calls().length === 1`)
	live.run(`post({ id: said.find((one) => one.method === "tools/call").id, error: { code: -1, message: "the host is tired" } })`)
	live.shows("Not live just now: the host is tired")
}
