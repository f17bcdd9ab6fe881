package web

import (
	"strings"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

func TestPagesTellWhatAPlayerSaysOfItsModel(t *testing.T) {
	t.Parallel()
	h := openFakeLeague(t, protocol.EvenOdd, 3)
	rec := h.records["R1M1"]
	v := h.caller(t, nil)
	for _, page := range []string{"/leagues/fake/players/" + rec.PlayerAID, "/leagues/fake/matches/R1M1"} {
		if text := v.page(page); strings.Contains(text, "data-usage") {
			t.Errorf("%s speaks of a model that nobody told of", page)
		}
	}
	told := protocol.Usage{Model: "<b>tiny</b>", Moves: 1, Requests: 1, InputTokens: 70, OutputTokens: 5, LatencyUS: 900_000}
	rec.Usage = map[string]protocol.Usage{rec.PlayerAID: told}
	v = openWithUsage(t, rec).caller(t, nil)
	for _, page := range []string{"/leagues/fake/players/" + rec.PlayerAID, "/leagues/fake/matches/R1M1"} {
		text := v.page(page)
		for _, want := range []string{`data-usage="70 5"`, "&lt;b&gt;tiny&lt;/b&gt;", "70 tokens in, 5 out", "0.9 s a move", "all moves by the model"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q", page, want)
			}
		}
		if strings.Contains(text, "$") && strings.Contains(text, "Cost") {
			t.Errorf("%s tells a cost that nobody knows", page)
		}
	}
	var p PlayerView
	v.json("/leagues/fake/players/"+rec.PlayerAID, &p)
	if p.Usage == nil || p.Usage.Usage != told {
		t.Errorf("the API has %+v, want %+v", p.Usage, told)
	}
}

// openWithUsage opens the league of a record of R1M1 that has usages.
func openWithUsage(t *testing.T, rec protocol.MatchRecord) *fakeLeague {
	t.Helper()
	events := []league.Event{league.Created{Schema: 1, LeagueID: fakeLeagueID, GameType: protocol.EvenOdd, Cycles: 1,
		Scoring: protocol.DefaultScoring, Tiebreakers: league.Tiebreakers, DrawCommitment: strings.Repeat("c0", 32),
	}, registered(protocol.RoleReferee, 1, "Referee Alpha")}
	ids := []string{"P01", "P02", "P03"}
	for n := range ids {
		events = append(events, registered(protocol.RolePlayer, n+1, "Agent"+ids[n]))
	}
	result := outcomeOf(rec)
	result.Usage = rec.Usage
	events = append(events, league.Started{Players: ids}, league.RoundOpened{Round: 1},
		league.MatchAssigned{Match: "R1M1", Referee: "REF01", Attempt: 1}, result)
	return &fakeLeague{records: map[string]protocol.MatchRecord{"R1M1": rec},
		m: openLog(t, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), events)}
}
