package web

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// leagueMatch is a match that a player lost by forfeit.
func leagueMatch(rec protocol.MatchRecord, code string) []league.Match {
	return []league.Match{{ID: rec.MatchID, Round: 1, A: rec.PlayerAID, B: rec.PlayerBID, Outcome: &league.ResultRecorded{
		Match: rec.MatchID, Result: league.Result{
			Status: protocol.TechnicalLoss, Winner: rec.PlayerBID, Forfeits: map[string]string{rec.PlayerAID: code},
		},
	}}}
}

func noRecord(league.Match) (protocol.MatchRecord, bool) { return protocol.MatchRecord{}, false }

func TestOnlyTheAdminChecksAndAdds(t *testing.T) {
	t.Parallel()
	h := openFakeLeague(t, "even_odd", 1)
	release := make(chan struct{})
	var added []string
	v := h.caller(t, func(o *Options) {
		o.Check = func(_ context.Context, endpoint string, role protocol.Role) (protocol.Report, error) {
			<-release
			if strings.Contains(endpoint, "nobody") {
				return protocol.Report{}, errors.New("nothing answers there " + nasty)
			}
			return protocol.Report{URL: endpoint, Role: protocol.RolePlayer, Agent: nasty, Score: "1/2", Failed: 1, Passed: 1,
				Verdict: "It is not ready.", Steps: []protocol.CheckStep{
					{ID: "P01", Name: "answers", Status: protocol.Pass, Clause: "Messages"},
					{ID: "P02", Name: "joins", Status: protocol.Fail, Clause: "A match", Detail: nasty, Sent: "{}",
						Received: nasty + "\nsecond line", Fix: "Join."},
				}}, nil
		}
		o.Enlist = func(_ context.Context, league, endpoint, name string, role protocol.Role) (string, error) {
			added = append(added, league+" "+endpoint+" "+name+" "+string(role))
			return "P02", nil
		}
	})
	for _, path := range []string{"/leagues/fake/check", "/leagues/fake/enlist"} {
		if w := v.do(http.MethodPost, path,
			"endpoint=http://127.0.0.1:9/mcp&role=player&next=/leagues/fake/agents"); w.Code != http.StatusSeeOther ||
			!strings.HasPrefix(w.Header().Get("Location"), "/login?next=") {
			t.Errorf("%s by anybody: %d to %q", path, w.Code, w.Header().Get("Location"))
		}
		if w := v.do(http.MethodPost, api+path,
			`{"endpoint":"http://127.0.0.1:9/mcp","role":"player"}`); w.Code != http.StatusUnauthorized {
			t.Errorf("%s by anybody: %d", path, w.Code)
		}
	}
	v.login()
	for _, bad := range []string{
		"", "endpoint=x", "endpoint=ftp://a/b", "endpoint=http://u:p@127.0.0.1/mcp",
		"endpoint=http://127.0.0.1/mcp&role=manager", "player_id=P77",
	} {
		if w := v.do(http.MethodPost, "/leagues/fake/check", bad); w.Code != http.StatusBadRequest {
			t.Errorf("%q: %d", bad, w.Code)
		}
	}
	w := v.do(http.MethodPost, "/leagues/fake/check", "endpoint=http://127.0.0.1:9")
	at := w.Header().Get("Location")
	if w.Code != http.StatusSeeOther || at != "/leagues/fake/checks/1" || !strings.Contains(v.page(at), "data-running") {
		t.Fatalf("got %d to %q", w.Code, at)
	}
	if again := v.do(http.MethodPost, "/leagues/fake/check", "endpoint=http://127.0.0.1:9/mcp"); again.Header().Get(
		"Location") != at {
		t.Errorf("the same again: %q", again.Header().Get("Location"))
	}
	v.do(http.MethodPost, "/leagues/fake/check", "endpoint=http://nobody.test/mcp")
	if w := v.do(http.MethodPost, "/leagues/fake/check", "player_id=P01"); w.Code != http.StatusTooManyRequests {
		t.Errorf("a third at once: %d", w.Code)
	}
	close(release)
	var c checkView
	for end := time.Now().Add(time.Minute); c.State != checkDone && time.Now().Before(end); time.Sleep(
		5 * time.Millisecond) {
		v.json(at, &c)
	}
	text := v.page(at)
	if c.Report == nil || c.Report.Score != "1/2" || strings.Contains(text, "<script>alert") ||
		!strings.Contains(text, `data-step="P02" data-status="FAIL"`) ||
		!strings.Contains(text, `action="/leagues/fake/enlist"`) {
		t.Errorf("got %+v", c)
	}
	for end := time.Now().Add(time.Minute); c.State != checkFailed && time.Now().Before(end); time.Sleep(
		5 * time.Millisecond) {
		v.json("/leagues/fake/checks/2", &c)
	}
	if text := v.page("/leagues/fake/checks/2"); !strings.Contains(text, "nothing answers there") ||
		strings.Contains(text, "<img src=x") {
		t.Errorf("got %+v", c)
	}
	if w := v.do(http.MethodPost, "/leagues/fake/enlist",
		"endpoint=http://127.0.0.1:9/mcp&role=player&display_name=Foreign"); w.Header().Get(
		"Location") != "/leagues/fake/agents#P02" {
		t.Errorf("got %d to %q", w.Code, w.Header().Get("Location"))
	}
	if len(added) != 1 || added[0] != "fake http://127.0.0.1:9/mcp Foreign player" {
		t.Errorf("added %q", added)
	}
	clear(v.cookies)
	if w := v.do(http.MethodGet, at, ""); w.Code == http.StatusOK {
		t.Error("anybody sees a check")
	}
	if strings.Contains(v.page("/leagues/fake/agents"), "127.0.0.1:9") {
		t.Error("anybody sees what was checked")
	}
}

func TestHealthOfAgents(t *testing.T) {
	t.Parallel()
	h := openFakeLeague(t, "even_odd", 4)
	var v agentsView
	h.m.Read(func(s *league.State) {
		v = newAgentsView(s, func(id string) league.Health {
			if id == "P02" {
				return league.Health{Unreached: "nothing listens there", Waiting: 2}
			}
			return league.Health{Seen: time.Now().Add(-time.Minute)}
		}, true)
	})
	p1, p2, p3, ref := v.Players[0], v.Players[1], v.Players[2], v.Referees[0]
	if !p1.Well() || !strings.HasPrefix(p1.Ago(), "1m") || p1.Endpoint == "" || p1.Tries == 0 || p1.MeanMS <= 0 {
		t.Errorf("got %+v", p1)
	}
	if p2.Well() || p2.Trouble == "" || p2.Ago() != "" || p2.Waiting != 2 {
		t.Errorf("got %+v", p2)
	}
	open := 0
	for _, p := range v.Players {
		open += len(p.Playing)
	}
	if open != 2 || len(ref.Playing) != 1 || ref.Done != 1 || ref.Capacity != 2 {
		t.Errorf("load: got %d players in a match, %+v, %+v", open, ref, p3)
	}
}
