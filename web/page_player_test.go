package web

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"

	"agentleague/protocol"
)

func TestPlayerPageHasAllItsErrorsInOnePlace(t *testing.T) {
	t.Parallel()
	h := openFakeLeague(t, "even_odd", 3)
	v := h.caller(t, nil)
	a := h.records["R1M1"].PlayerAID
	var p PlayerView
	v.json("/leagues/fake/players/"+a, &p)
	text := v.page("/leagues/fake/players/" + a)
	if len(p.Faults) != 1 || p.Faults[0].Code != "E004" || p.Faults[0].Count != 1 ||
		p.Faults[0].Cases[0].MatchID != "R1M1" || !strings.HasPrefix(p.Faults[0].Cases[0].Detail, "got ") {
		t.Fatalf("got %+v", p.Faults)
	}
	for _, want := range []string{
		p.Faults[0].Says, p.Faults[0].Fix, "doc/protocol-spec.md, A match", `data-code="E004" data-count="1"`,
	} {
		if !strings.Contains(text, html.EscapeString(want)) && !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if p.Latency.Tries != 3 || p.Latency.Median != 20 || p.Latency.Slowest != 40 || p.Read != 1 {
		t.Errorf("got %+v", p.Latency)
	}
	for _, b := range p.Latency.Buckets {
		if want := fmt.Sprintf(`data-up-to="%v" data-count="%d"`, b.UpTo, b.Count); !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if len(p.Results) != 1 || p.Results[0].Result != protocol.Loss || p.Results[0].Mine != "odd" || len(p.Form) != 1 ||
		len(p.Rivals) != 1 || p.Rivals[0].Lost != 1 {
		t.Errorf("got %+v, %+v, %+v", p.Results, p.Form, p.Rivals)
	}
	if p.Endpoint != "" || strings.Contains(text, "127.0.0.1") {
		t.Error("anybody is told where the player is")
	}
	v.login()
	v.json("/leagues/fake/players/"+a, &p)
	if p.Endpoint == "" {
		t.Error("the admin is not told where the player is")
	}
	for _, none := range []string{"P09", "REF01", "x"} {
		if w := v.do(http.MethodGet, "/leagues/fake/players/"+none, ""); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", none, w.Code)
		}
	}
}

func TestForfeitsWithoutARecordCountAsErrors(t *testing.T) {
	t.Parallel()
	h := openFakeLeague(t, "even_odd", 3)
	m := h.records["R1M1"]
	var v PlayerView
	v.ID = m.PlayerAID
	for code, lost := range map[string]bool{"E001": true, protocol.AgentShutdown: true} {
		match := leagueMatch(m, code)
		v.Faults = nil
		v.recorded(match, noRecord, false)
		if len(v.Faults) != 1 || v.Faults[0].Code != code || v.Faults[0].Cases[0].Lost != lost || v.Faults[0].Fix == "" {
			t.Errorf("%s: got %+v", code, v.Faults)
		}
	}
}

func TestLatencyOfAnything(t *testing.T) {
	t.Parallel()
	var tries []protocol.Try
	for i := range 100 {
		tries = append(tries, protocol.Try{AgentMS: float64(i + 1)})
	}
	tries = append(tries, protocol.Try{AgentMS: 1e9, Void: true}, protocol.Try{AgentMS: -1})
	l := latencyOf(tries)
	if l.Tries != 100 || l.Median != 50 || l.P90 != 90 || l.P99 != 99 || l.Slowest != 100 {
		t.Errorf("got %+v", l)
	}
	sum := 0
	for _, b := range l.Buckets {
		sum += b.Count
	}
	if sum != 100 || l.Buckets[0].UpTo != 1 || l.Buckets[len(l.Buckets)-1].UpTo != 100 {
		t.Errorf("got %+v", l.Buckets)
	}
	if one := latencyOf([]protocol.Try{{AgentMS: 1e7}}); len(one.Buckets) != 1 || one.Median != 1e7 {
		t.Errorf("one that took hours: %+v", one)
	}
	if b, err := json.Marshal(latencyOf(nil)); err != nil || !strings.Contains(string(b), `"buckets":[]`) {
		t.Errorf("nothing: %s, %v", b, err)
	}
}

// Every page with no player, one, a few and many.
func TestPagesWithAnyNumberOfPlayers(t *testing.T) {
	t.Parallel()
	for _, players := range []int{0, 1, 3, 200} {
		v := openFakeLeague(t, "tic_tac_toe", players).caller(t, nil)
		text := v.page("/leagues/fake/agents")
		var agents agentsView
		v.json("/leagues/fake/agents", &agents)
		if got := strings.Count(text, `data-agent="P`); got != players || len(agents.Players) != players ||
			len(agents.Referees) != 1 {
			t.Errorf("%d players: %d rows, %d in the API", players, got, len(agents.Players))
		}
		for _, a := range agents.Players[:min(players, 3)] {
			var p PlayerView
			v.json("/leagues/fake/players/"+a.ID, &p)
			if text := v.page("/leagues/fake/players/" + a.ID); p.Of != players || !strings.Contains(text, a.ID) {
				t.Errorf("%d players: %s: got %+v", players, a.ID, p)
			}
		}
		if players > 1 {
			v.page("/leagues/fake/matches/R1M1")
		} else if w := v.do(http.MethodGet, "/leagues/fake/matches/R1M1", ""); w.Code != http.StatusNotFound {
			t.Errorf("%d players: a match: %d", players, w.Code)
		}
	}
}
