package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/league/view"
)

func TestTheAdminAnnulsReadmitsAndInvites(t *testing.T) {
	t.Parallel()
	m := seasonOf(t, seasonPlan{id: "open", names: agents(4), started: true, rounds: 1, half: true})
	v := newWebClient(t, siteOf(t, m))
	key := []string{"Authorization", "Bearer " + adminToken}
	for _, c := range []struct {
		path, body string
		status     int
		says       string
	}{
		{"annul", `{"match_id": "R9M9", "reason": "why not"}`, http.StatusConflict, `no match \"R9M9\"`},
		{"annul", `{"match_id": "R1M1", "reason": "both say so"}`, http.StatusOK, `"league_id":"open"`},
		{"annul", `{"match_id": "R1M1"}`, http.StatusConflict, "R1M1 has no result yet"},
		{"readmit", `{"agent_id": "P01"}`, http.StatusConflict, "P01 is in the league"},
		{"readmit", `{"agent_id": "P01", "code": "XXXX"}`, http.StatusConflict, "nobody was refused as P01"},
		{"withdraw", `{"player_id": "P01"}`, http.StatusOK, ""},
		{"readmit", `{"agent_id": "P01"}`, http.StatusOK, ""},
		{"rename", `{"agent_id": "P02", "display_name": "P07"}`, http.StatusConflict, "is reserved"},
		{"rename", `{"agent_id": "P02", "display_name": "Team Fox"}`, http.StatusOK, ""},
		{"rename", `{"agent_id": "P77", "display_name": "Team Owl"}`, http.StatusConflict, `no agent \"P77\"`},
		{"merge", `{"kept_id": "P02", "gone_id": "P03"}`, http.StatusConflict, "only before the league starts"},
		{"invite", `{"role": "captain", "names": ["Ada"]}`, http.StatusBadRequest, "not captain"},
		{"invite", `{"role": "referee", "names": ["Ada"]}`, http.StatusOK, `"address":"http://localhost:8000/k/`},
	} {
		path := "/api/v1/leagues/open/" + c.path
		if status, _, body := v.send(path, "application/json", c.body, key...); status != c.status ||
			!strings.Contains(body, c.says) {
			t.Errorf("%s %s: got %d %s, want %d and %s", c.path, c.body, status, body, c.status, c.says)
		}
		if status, _, _ := v.send(path, "application/json", c.body); status != http.StatusUnauthorized {
			t.Errorf("%s: a stranger got %d", c.path, status)
		}
	}
	m.Read(func(s *league.State) {
		if got := s.Matches["R1M1"]; got.Annulled != 1 || s.Agents["P01"].State != "ACTIVE" || s.Agents["P02"].Name != "Team Fox" {
			t.Errorf("got %+v, %s and %s", got, s.Agents["P01"].State, s.Agents["P02"].Name)
		}
	})
}

func TestTheAdminMergesOnThePageBeforeTheStart(t *testing.T) {
	t.Parallel()
	m := seasonOf(t, seasonPlan{id: "open", names: agents(4)})
	v := newWebClient(t, siteOf(t, m))
	v.post("/login", url.Values{"token": {adminToken}})
	if page := v.get("/leagues/open/run"); !strings.Contains(page, `action="/leagues/open/merge"`) ||
		!strings.Contains(page, `action="/leagues/open/rename"`) {
		t.Error("the page has no forms to rename and merge agents")
	}
	for _, c := range []struct {
		path string
		form url.Values
		says string
	}{
		{"merge", url.Values{"kept_id": {"P01"}, "gone_id": {"P09"}}, "no agent &#34;P09&#34; has registered"},
		{"merge", url.Values{"kept_id": {"P01"}, "gone_id": {"P03"}}, "<td>merge <small>"},
		{"rename", url.Values{"agent_id": {"P01"}, "display_name": {"Team Fox"}}, "<bdi>Team Fox</bdi>"},
	} {
		if _, at, page := v.post("/leagues/open/"+c.path, c.form); !strings.Contains(page, c.says) {
			t.Errorf("%v leads to %s, which has no %s", c.form, at, c.says)
		}
	}
	m.Read(func(s *league.State) {
		if s.Agents["P03"].Merged != "P01" || len(s.Players()) != 3 || s.Agents["P01"].Name != "Team Fox" {
			t.Errorf("got %+v and %+v", s.Agents["P03"], s.Orders)
		}
	})
}

func TestResultsOfHostedPlayersAreLabelled(t *testing.T) {
	t.Parallel()
	m := seasonOf(t, seasonPlan{id: "open", names: agents(4), started: true, rounds: 1, hosted: true})
	v := &caller{
		t: t, site: New(Options{Host: &leagues{[]string{"open"}, map[string]*manager.Manager{"open": m}}}),
		cookies: map[string]string{},
	}
	var live LeagueView
	v.json("/leagues/open", &live)
	if live.Results.Hosted != 1 || live.Results.Proven+live.Results.Judged+live.Results.Unproven != 2 {
		t.Errorf("got %+v, want one of two", live.Results)
	}
	const shown = `data-proof="hosted"`
	for id, hosted := range map[string]bool{"R1M1": true, "R1M2": false} {
		var match MatchView
		v.json("/leagues/open/matches/"+id, &match)
		if page := v.page("/leagues/open/matches/" + id); match.Hosted != hosted || strings.Contains(page, shown) != hosted {
			t.Errorf("%s: got %v, and on the page %v; want %v", id, match.Hosted, strings.Contains(page, shown), hosted)
		}
	}
	for path, want := range map[string]int{"/leagues/open": 1, "/leagues/open/players/P01": 1, "/leagues/open/players/P03": 0} {
		if got := strings.Count(v.page(path), `<span class="unseen"> hosted</span>`); (got > 0) != (want > 0) {
			t.Errorf("%s has %d labels", path, got)
		}
	}
}

func TestEveryResultIsShownWithWhatItRestsOn(t *testing.T) {
	t.Parallel()
	m := seasonOf(t, seasonPlan{id: "open", names: agents(4), started: true, rounds: 1, half: true})
	v := &caller{
		t: t, site: New(Options{Host: &leagues{[]string{"open"}, map[string]*manager.Manager{"open": m}}}),
		cookies: map[string]string{},
	}
	var want string
	m.Read(func(s *league.State) { want = s.Matches["R1M1"].Proof })
	if view.BadgeOf(want) == nil {
		t.Fatalf("R1M1 rests on %q", want)
	}
	var live LeagueView
	v.json("/leagues/open", &live)
	if live.Newest[0].Proof != want || live.Seal == "" || live.LogHead == "" ||
		live.Results.Judged+live.Results.Unproven+live.Results.Proven != live.Recorded {
		t.Errorf("got %+v", live.LeagueHead)
	}
	var match MatchView
	v.json("/leagues/open/matches/R1M1", &match)
	if match.Basis != want {
		t.Errorf("got %q, want %q", match.Basis, want)
	}
	for path, has := range map[string][]string{
		"/leagues/open": {
			`<span class="unseen"> ` + want + "</span>", live.Seal[:32], live.LogHead[:32], "league verify --seal",
		},
		"/leagues/open/matches/R1M1": {`data-proof="` + want + `"`, league.ProofWords(want)[:20]},
	} {
		text := v.page(path)
		for _, part := range has {
			if !strings.Contains(text, part) {
				t.Errorf("%s has no %s", path, part)
			}
		}
	}
}
