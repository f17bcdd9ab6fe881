package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"agentleague/rpc/rpctest"
	"agentleague/server"
	"agentleague/web"
	"agentleague/web/webtest"
)

// A cable is a way to a server that can be cut.
type cable struct {
	net.Listener
	to string

	mu   sync.Mutex
	open []net.Conn
	cuts int
}

// newCable leads to the server at an endpoint.
func newCable(t *testing.T, endpoint string) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(endpoint, "http://"), "/")
	c := &cable{Listener: l, to: host}
	go c.carry()
	t.Cleanup(func() { _ = l.Close(); c.cut() })
	return c
}

func (c *cable) url() string { return "http://" + c.Addr().String() }

func (c *cable) carry() {
	for {
		in, err := c.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", c.to)
		if err != nil {
			_ = in.Close()
			continue
		}
		c.mu.Lock()
		c.open = append(c.open, in, out)
		c.mu.Unlock()
		for _, pair := range [][2]net.Conn{{in, out}, {out, in}} {
			go func() {
				_, _ = io.Copy(pair[0], pair[1])
				_, _ = pair[0].Close(), pair[1].Close()
			}()
		}
	}
}

// cut ends everything that is under way.
func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.open {
		_ = conn.Close()
	}
	c.open, c.cuts = nil, c.cuts+1
}

// viewAt reads a view of the API.
func viewAt[T any](t *testing.T, url string) (out T) {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&out); err != nil {
		t.Fatalf("%s: %s: %v", url, answer.Status, err)
	}
	return out
}

// TestALeagueOnThePage performs a teacher's steps in a real browser with the real program: log in, create a league,
// pause it, start it, resume it, and watch it to its end over a connection that is cut repeatedly.
func TestALeagueOnThePage(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "SHARED")
	manager := start(t, "manager", "--port", "0", "--root", root, "--start-after", "1h")
	wire := newCable(t, manager.endpoint())
	manager.says("Watch it at http://localhost:")
	token, err := os.ReadFile(filepath.Join(root, "data", "admin.token"))
	if err != nil {
		t.Fatal(err)
	}
	tab := webtest.Start(t).Tab(t, webtest.Laptop)

	tab.Open(wire.url() + "/")
	tab.Await("how to join, on the page of the one league", `document.querySelector(".join code").textContent.startsWith("league player --port 0")`)
	tab.Open(wire.url() + "/create")
	tab.Click(`main a[href^="/login"]`)
	tab.Await("the login", `document.querySelector("#token")`)
	tab.Type("#token", strings.TrimSpace(string(token))+"\r")
	tab.Await("the form", `document.querySelector("#players") && !document.querySelector("main button").disabled`)
	tab.Type("#league_id", "class")
	tab.Type("#players", "5")
	tab.Do(webtest.Fill("#cycles", "15"), webtest.Fill("#house_random", "3"), webtest.Fill("#house_history", "1"))
	tab.Click("main .form .button")
	tab.Await("the page of the new league", `location.pathname === "/leagues/class" && document.querySelectorAll(".standings tbody tr").length === 4`)

	api := wire.url() + "/api/v1/leagues/class"
	rpctest.Eventually(t, "everybody needed", func() bool { return viewAt[web.RunView](t, api+"/run").Can.Start })
	tab.Open(wire.url() + "/leagues/class/run")
	tab.Click(`#order-pause summary`)
	tab.Click(`form[action$="/pause"] button`)
	tab.Await("the pause", `document.querySelector(".chip.warn")?.textContent === "Paused"`)
	tab.Click(`#order-start summary`)
	tab.Click(`form[action$="/start"] button`)
	tab.Await("the order with who gave it", `[...document.querySelectorAll("tbody tr")].some(r => r.cells[1]?.textContent === "start" && r.cells[2]?.textContent.startsWith("admin via page"))`)
	tab.Click(`.tabs a`)
	tab.Await("a league that has begun and rests", `document.querySelector(".chip.warn")?.textContent === "Paused" && document.querySelector("#h-round")?.textContent.startsWith("Round 1")`)
	if v := viewAt[web.LeagueView](t, api); !v.Paused || v.Recorded != 0 || v.Matches != 90 {
		t.Errorf("paused: %v, %d of %d matches; want it paused before the first of 90", v.Paused, v.Recorded, v.Matches)
	}

	resume, err := http.NewRequestWithContext(t.Context(), http.MethodPost, api+"/resume", nil)
	if err != nil {
		t.Fatal(err)
	}
	resume.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	if answer, err := http.DefaultClient.Do(resume); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("resume: %v %v", answer, err)
	}
	tab.Await("results, live", `document.querySelectorAll("[data-live=ticker] [data-match]").length > 0`)
	for n := range 5 {
		seen := webtest.Get[int](tab, `Number(document.querySelector("#live").dataset.seen)`)
		wire.cut()
		tab.Await(fmt.Sprintf("more of the log, or its end, after cut %d", n+1), fmt.Sprintf(`Number(document.querySelector("#live").dataset.seen) > %d || document.querySelector(".champion")`, seen))
	}
	rpctest.Until(t, "the end of the league", func() (results int, over bool) {
		now := viewAt[web.LeagueView](t, api)
		return now.Recorded, now.Over()
	})
	tab.Await("the champion, without a reload", `document.querySelector(".champion .name")`)
	sameAsTheAPI(t, tab, api)
}

// sameAsTheAPI waits until the page has received the whole log, and compares it with the API.
func sameAsTheAPI(t *testing.T, tab *webtest.Tab, api string) {
	t.Helper()
	rpctest.Eventually(t, "a log that has come to rest", func() bool {
		a, b := viewAt[web.LeagueView](t, api), viewAt[web.LeagueView](t, api)
		return a.Over() && a.Sequence == b.Sequence
	})
	want := viewAt[web.LeagueView](t, api)
	tab.Await("the whole log on the page", fmt.Sprintf(`Number(document.querySelector("#live").dataset.seen) >= %d && Number(document.querySelector("#live").dataset.seq) >= %d`, want.Sequence, want.Sequence))
	if gaps := webtest.Get[string](tab, `document.querySelector("#live").dataset.gaps || ""`); gaps != "" {
		t.Errorf("the page missed entries of the log %s times", gaps)
	}
	var rows, cross, lines []string
	for _, r := range want.Standings {
		rows = append(rows, fmt.Sprintf("%s %s %s %d %d", r.Place, r.PlayerID, r.DisplayName, r.Points, r.Played))
	}
	for _, r := range want.Crosstable.Rows {
		line := r.ID
		for _, c := range r.Cells {
			line += " "
			for _, e := range c.Endings {
				line += e.Letter
			}
		}
		cross = append(cross, line)
	}
	for _, l := range want.Chart.Lines {
		lines = append(lines, fmt.Sprintf("%s %s: %d points, %d steps", l.PlayerID, l.Name, l.Total(), len(l.Points)))
	}
	slices.Reverse(lines) // the first is drawn last
	for what, c := range map[string]struct {
		want   []string
		script string
	}{
		"standings":  {rows, `[...document.querySelectorAll(".standings tbody tr")].map(r => [r.cells[0], {textContent: r.dataset.player}, r.querySelector("bdi"), r.cells[3], r.cells[4]].map(e => e.textContent).join(" "))`},
		"crosstable": {cross, `[...document.querySelectorAll(".cross tbody tr")].map(r => r.dataset.player + " " + [...r.cells].slice(1).map(c => c.textContent.replace("·", "")).join(" "))`},
		"chart":      {lines, `[...document.querySelectorAll(".chart g[data-player]")].map(g => g.dataset.player + " " + g.querySelector("title").textContent + ", " + g.querySelector("polyline").points.length + " steps")`},
	} {
		if got := webtest.Get[[]string](tab, c.script); !slices.Equal(got, c.want) {
			t.Errorf("%s: the page shows\n%s\nand the API says\n%s", what, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
	if got := webtest.Get[string](tab, `document.querySelector(".champion .name").textContent`); got != want.Champions[0].Name {
		t.Errorf("the champion is %s, want %s", got, want.Champions[0].Name)
	}
}

// Agents' names are plain text on the page, whatever they contain.
func TestHostileNamesAreHarmlessOnThePage(t *testing.T) {
	t.Parallel()
	manager := start(t, "manager", "--port", "0", "--root", filepath.Join(t.TempDir(), "SHARED"), "--start-after", "1h")
	endpoint := manager.endpoint()
	names := []string{
		`<script>document.title="hacked"</script>`, `"><img src=x onerror=document.title="hacked">`, strings.Repeat("🏆👩‍👧", 900), "\u202eevil\u2066 \u200fname", "a\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307b",
	}
	for i, name := range names {
		body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": i, "method": "register_player", "params": map[string]any{
			"player_meta": map[string]any{"display_name": name, "contact_endpoint": fmt.Sprintf("http://127.0.0.1:%d/mcp", i+1), "version": name[:1]},
		}})
		answer, err := http.Post(endpoint, "application/json", strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if !strings.Contains(string(text), "ACCEPTED") {
			t.Fatalf("%.40q is not let in: %s", name, text)
		}
	}
	tab := webtest.Start(t).Tab(t, webtest.Phone)
	for _, path := range []string{"", "/run", "/agents"} {
		tab.Open(server.PageOf(endpoint) + "leagues/league_2025_even_odd" + path)
		tab.Await("all of them", fmt.Sprintf(`document.querySelectorAll("tbody tr").length >= %d`, len(names)))
		got := webtest.Get[map[string]any](tab, `({
			title: document.title, images: document.images.length, inline: [...document.scripts].filter(s => !s.src).length,
			shown: [...document.querySelectorAll("tbody tr")].filter(e => e.textContent.includes("<script>")).length,
			turns: /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(document.body.textContent), wide: document.documentElement.scrollWidth - innerWidth})`)
		if strings.Contains(fmt.Sprint(got["title"]), "hacked") || got["images"] != 0.0 || got["inline"] != 0.0 || got["shown"] != 1.0 || got["turns"] != false || got["wide"].(float64) > 0 {
			t.Errorf("%s: %v", path, got)
		}
	}
}
