package web

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

func TestUsageIsToldForPeople(t *testing.T) {
	u := protocol.Usage{Model: "tiny", Moves: 8, Fallbacks: 1, Requests: 9, InputTokens: 1200, CachedTokens: 400, OutputTokens: 90,
		LatencyUS: 3_200_000, Priced: true, CostNanoUSD: 1_234_000}
	for name, tt := range map[string]struct {
		usage protocol.Usage
		want  []string
	}{
		"all of it":      {u, []string{"tiny", "1200 tokens in, 90 out (400 cached)", "$0.001234", "0.4 s a move", "1 of 8 moves by the fallback (13 %)"}},
		"no price":       {protocol.Usage{Moves: 1, InputTokens: 5, OutputTokens: 1}, []string{"a language model", "5 tokens in, 1 out", "", "0.0 s a move", "all moves by the model"}},
		"for nothing":    {protocol.Usage{Model: "m", Moves: 1, Priced: true}, []string{"m", "0 tokens in, 0 out", "$0.00", "0.0 s a move", "all moves by the model"}},
		"not all counts": {protocol.Usage{Model: "m", Moves: 1, Uncounted: 1, Priced: true, CostNanoUSD: 2_500_000_000}, []string{"m", "at least 0 tokens in, 0 out", "at least $2.50", "0.0 s a move", "all moves by the model"}},
	} {
		v := UsageView{tt.usage}
		for i, got := range []string{v.Name(), v.Tokens(), v.Cost(), v.Wait(), v.Share()} {
			if got != tt.want[i] {
				t.Errorf("%s: got %q, want %q", name, got, tt.want[i])
			}
		}
	}
}

func TestUsageHasColumnsOnlyWhereSomebodyToldIt(t *testing.T) {
	var with, without bytes.Buffer
	u := &protocol.Usage{Model: "=evil()", Moves: 2, Fallbacks: 1, Requests: 3, InputTokens: 40, CachedTokens: 4, OutputTokens: 5,
		LatencyUS: 12_000, Priced: true, CostNanoUSD: 70}
	rows := []PlayerRow{{ID: "P01", Usage: u}, {ID: "P02"}}
	if err := WritePlayers(&with, rows); err != nil {
		t.Fatal(err)
	}
	rows[0].Usage = nil
	if err := WritePlayers(&without, rows); err != nil {
		t.Fatal(err)
	}
	const want = ",model,model_moves,model_fallbacks,model_requests,input_tokens,cached_tokens,output_tokens,model_ms,cost_usd\n"
	if !strings.Contains(with.String(), want) || !strings.Contains(with.String(), ",'=evil(),2,1,3,40,4,5,12,0.00000007\n") ||
		!strings.HasSuffix(with.String(), ",,,,,,,,,\n") {
		t.Errorf("got\n%s", with.String())
	}
	if strings.Contains(without.String(), "model") {
		t.Errorf("without any usage:\n%s", without.String())
	}
	var results bytes.Buffer
	if err := WriteResults(&results, protocol.EvenOdd, []ResultRow{{MatchID: "R1M1", UsageB: u}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(results.String(), "cost_usd_A,model_B,") || !strings.Contains(results.String(), ",,,,,,,,,,'=evil(),2,") {
		t.Errorf("got\n%s", results.String())
	}
}

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
