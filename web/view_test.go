package web

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
)

func TestTheViewOfALeagueAddsUp(t *testing.T) {
	t.Parallel()
	m := seasonOf(t, seasonPlan{id: "ten", names: agents(10), started: true, rounds: 5, half: true})
	site := siteOf(t, m)
	var v LeagueView
	get(t, site+"/api/v1/leagues/ten", &v)
	if v.Name != "The ten league" || v.Round != 6 || v.Rounds != 9 || v.Recorded != 27 || v.Matches != 45 ||
		len(v.Standings) != 10 || v.Sequence < 9 || v.Sequence > m.Sequence() {
		t.Errorf("the head is %+v at entry %d", v.LeagueHead, v.Sequence)
	}
	ranksAfter := func(round int) map[string]league.Rank {
		ranks := map[string]league.Rank{}
		m.Read(func(s *league.State) {
			t := s.TableAfter(round)
			for i, row := range t.Rows {
				ranks[row.PlayerID] = t.Ranks[i]
			}
		})
		return ranks
	}
	before, now := ranksAfter(5), ranksAfter(6)
	for i, r := range v.Standings {
		if r.Rank != i+1 || r.Place != now[r.PlayerID].String() || len(r.Form) != min(6, r.Played) ||
			r.Change != before[r.PlayerID].Number-now[r.PlayerID].Number {
			t.Errorf("row %d: %+v, rank %v now and %v in the round before", i+1, r, now[r.PlayerID], before[r.PlayerID])
		}
		tied := i+1 < len(v.Standings) && v.Standings[i+1].Points == r.Points
		if tied != (r.Tie != nil) {
			t.Errorf("row %d: level with the next: %v, explained by %+v", i+1, tied, r.Tie)
		}
		line := v.Chart.Lines[i]
		if line.PlayerID != r.PlayerID || line.Total() != r.Points || len(line.Points) != len(v.Chart.At) {
			t.Errorf("the line of %s ends at %d after %d rounds, want %d", line.PlayerID, line.Total(),
				len(line.Points)-1, r.Points)
		}
		wins := 0
		for _, c := range v.Crosstable.Rows[i].Cells {
			for _, e := range c.Endings {
				if e.Letter == "W" {
					wins++
				}
			}
		}
		if wins != r.Wins {
			t.Errorf("%s has %d wins in the crosstable and %d in the table", r.PlayerID, wins, r.Wins)
		}
	}
	if n := v.RoundNow; n.Round != 6 || !n.Open || n.Done != 2 || n.Total != 5 || n.Matches[0].Done || !n.Matches[4].Done {
		t.Errorf("the round in play is %+v", n)
	}
	if len(v.Newest) != 8 || v.Newest[0].ID != "R6M2" || v.Newest[1].ID != "R6M1" {
		t.Errorf("the newest results are %+v", v.Newest)
	}
}

// Without a script all content is visible, and nothing is executed.
func TestPagesCanBeReadWithoutAScript(t *testing.T) {
	t.Parallel()
	site := siteOf(t, seasonOf(t, seasonPlan{id: "hostile", names: hostile, started: true, rounds: 3}))
	answer, err := http.Get(site + "/leagues/hostile")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	for _, want := range []string{"Standings", "Who beat whom", "<polyline", "&lt;script&gt;", "R3M1"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	if bad := regexp.MustCompile(
		`(?i)<script(?: [^>]*)?>[^<]|<style|style="|\son\w+="|javascript:|https?://[^l]|\x{202e}|\x{2066}`).FindString(
		string(text)); bad != "" {
		t.Errorf("the page has %q", bad)
	}
}

// The first page that a visitor loads is small, including its resources.
func TestTheFirstPageIsSmall(t *testing.T) {
	t.Parallel()
	site := siteOf(t, seasonOf(t, seasonPlan{id: "many", names: agents(200), started: true, rounds: 60}))
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	sum, raw := 0, 0
	load := func(path string) string {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, site+path, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		packed, _ := io.ReadAll(answer.Body)
		sum += len(packed)
		plain, err := http.Get(site + path)
		if err != nil {
			t.Fatal(err)
		}
		defer plain.Body.Close()
		text, _ := io.ReadAll(plain.Body)
		raw += len(text)
		return string(text)
	}
	page := load("/leagues/many")
	for _, m := range regexp.MustCompile(`(?:src|href)="(/assets/[^"#]+)"`).FindAllStringSubmatch(page, -1) {
		load(m[1])
	}
	t.Logf("%d bytes, %d before they are packed", sum, raw)
	if sum > 100_000 {
		t.Errorf("the page of 200 players takes %d bytes in all, want at most 100,000", sum)
	}
}

func TestAssetsAreKeptForEver(t *testing.T) {
	t.Parallel()
	site := siteOf(t, seasonOf(t, seasonPlan{id: "ten"}))
	r := get(t, site+asset("frame.css"), nil)
	if got := r.Header.Get("Cache-Control"); !strings.Contains(got, "immutable") ||
		r.Header.Get("Content-Type") != "text/css; charset=utf-8" {
		t.Errorf("%s as %s", got, r.Header.Get("Content-Type"))
	}
	again, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, site+"/leagues/ten", nil)
	again.Header.Set("If-None-Match", get(t, site+"/leagues/ten", nil).Header.Get("ETag"))
	if answer, err := http.DefaultClient.Do(again); err != nil || answer.StatusCode != http.StatusNotModified {
		t.Errorf("a page that has not changed is answered with %v (%v)", answer.Status, err)
	}
	if r := get(t, site+"/assets/../web.go", nil); r.StatusCode != http.StatusNotFound {
		t.Errorf("a file outside of assets: %s", r.Status)
	}
}

func TestExports(t *testing.T) {
	t.Parallel()
	m := seasonOf(t, seasonPlan{id: "over", names: []string{"=1+1", "Ben", "Cleo"}, started: true, rounds: 3})
	site := siteOf(t, m)
	for file, want := range map[string]string{
		"standings.csv": ",'=1+1,", "standings.json": `"standings":[{"rank":1`, "league.json": `"crosstable":`,
	} {
		r, err := http.Get(site + "/leagues/over/export/" + file)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if !strings.Contains(string(text), want) || !strings.Contains(r.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%s: %s %.200s", file, r.Header.Get("Content-Disposition"), text)
		}
	}
	if r := get(t, site+"/leagues/over/export/passwords", nil); r.StatusCode != http.StatusNotFound {
		t.Errorf("no such file: %s", r.Status)
	}
}

// The API's description names every page and every action, and the views match it.
func TestTheAPIIsAsItsDescription(t *testing.T) {
	t.Parallel()
	site := siteOf(t, sampleLeagues(t)...)
	var doc map[string]any
	get(t, site+"/api/v1/openapi.json", &doc)
	paths := doc["paths"].(map[string]any)
	for _, want := range []string{
		"/api/v1/leagues", "/api/v1/leagues/{league}", "/api/v1/leagues/{league}/run", "/api/v1/leagues/{league}/pause",
		"/api/v1/leagues/{league}/withdraw", "/api/v1/leagues/{league}/events", "/api/v1/create",
	} {
		if paths[want] == nil {
			t.Errorf("the description lacks %s", want)
		}
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"nobody", "one", "three", "ten", "over", "many", "hostile"} {
		for path, schema := range map[string]string{
			"/leagues/" + id: "LeagueView", "/leagues/" + id + "/run": "RunView", "/leagues": "IndexView",
			"/leagues/" + id + "/seasons": "SeasonsView",
		} {
			s, err := c.Compile("openapi.json#/components/schemas/" + schema)
			if err != nil {
				t.Fatal(err)
			}
			var v any
			get(t, site+"/api/v1"+path, &v)
			if err := s.Validate(v); err != nil {
				t.Errorf("%s is no %s: %v", path, schema, err)
			}
			for name := range v.(map[string]any) {
				if properties := doc["components"].(map[string]any)["schemas"].(map[string]any)[schema].(map[string]any)["properties"].(map[string]any); properties[name] == nil {
					t.Errorf("%s: the description of %s lacks %s", path, schema, name)
				}
			}
		}
	}
}

func TestTheSiteLeavesToTheAgentWhatIsTheAgents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, path string
		site         bool
	}{
		{"GET", "/", true}, {"HEAD", "/", true}, {"POST", "/", false}, {"POST", "/mcp", false}, {"GET", "/mcp", false},
		{"GET", "/health", false}, {"GET", "/metrics", false},
		{"GET", "/leagues/a", true}, {"POST", "/leagues/a/pause", true}, {"POST", "/leagues/a/mcp", false},
		{"POST", "/leagues/a/MCP/", false}, {"GET", "/api/v1/leagues", true},
		{"POST", "/register", false}, {"GET", "/assets/x.css", true}, {"POST", "/login", true}, {"GET", "/create", true},
	} {
		if got := Takes(httptest.NewRequestWithContext(t.Context(), c.method, c.path, nil)); got != c.site {
			t.Errorf("%s %s: the site's: %v, want %v", c.method, c.path, got, c.site)
		}
	}
}

// A view is computed once for all requests, and again after a change.
func TestAViewIsShared(t *testing.T) {
	t.Parallel()
	m := asSeason(seasonOf(t, seasonPlan{id: "ten", names: agents(4), started: true, rounds: 1}))
	d := newDirectory(&Options{Title: strings.ToUpper, Game: strings.ToUpper})
	first, w := d.look(m), d.watched(m)
	if d.look(m) != first || d.watched(m) != w {
		t.Error("the same league was looked at twice")
	}
	m.View().Expire()
	if next := d.look(m); next == first || !reflect.DeepEqual(next.Standings, first.Standings) {
		t.Error("who has changed something sees what was before")
	}
}

func TestMoodsOfALeague(t *testing.T) {
	t.Parallel()
	var got []string
	for _, h := range []view.LeagueHead{
		{State: protocol.WaitingForRegistrations, Draining: true}, {State: protocol.CreatingSchedule},
		{State: protocol.RunningLeague}, {State: protocol.RunningLeague, Paused: true, Draining: true},
		{State: protocol.RunningLeague, Draining: true}, {State: protocol.RunningLeague, Resting: "full"},
		{State: protocol.LeagueIsCompleted, Paused: true},
	} {
		got = append(got, h.Mood().Words)
	}
	if want := []string{
		"Waiting for players", "Starting", "Running", "Paused", "Draining", "Resting", "Over",
	}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzReadJSON: a request to the API becomes fields of a form, or an error with a remedy.
func FuzzReadJSON(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"players": 4, "house": ["a", 1, null]}`, `[]`, `{"a": {"b": 1}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/leagues?x=1", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		err := readJSON(r)
		var p *problem
		if err == nil && r.PostForm == nil || err != nil &&
			!(reflect.TypeOf(err) == reflect.TypeOf(p) && err.(*problem).Do != "") {
			t.Errorf("%q: %v", body, err)
		}
		_, _ = json.Marshal(r.PostForm)
	})
}
