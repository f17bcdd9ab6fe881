package sheet

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// halfPlayed returns a league of four players in its first round: the first player has chosen "+1" and then forfeited
// its match by a timeout, and the other match is in play.
func halfPlayed(t *testing.T, names ...string) *league.State {
	t.Helper()
	s := league.NewState()
	events := []league.Event{league.Created{
		LeagueID: "open", GameType: protocol.EvenOdd, Cycles: 1, Scoring: protocol.DefaultScoring, Tiebreakers: league.Tiebreakers,
	}, league.Registered{Role: protocol.RoleReferee, ID: "REF01", Name: "Referee"}}
	var ids []string
	for i, name := range names {
		ids = append(ids, protocol.AgentID(protocol.RolePlayer, i+1))
		events = append(events, league.Registered{Role: protocol.RolePlayer, ID: ids[i], Name: name})
	}
	events = append(events, league.Started{Players: ids}, league.RoundOpened{Round: 1})
	for _, e := range events {
		if err := s.Apply(time.Unix(1, 0), e); err != nil {
			t.Fatal(err)
		}
	}
	m := s.InRound(1)[0]
	for _, e := range []league.Event{
		league.MatchAssigned{Match: m.ID, Referee: "REF01", Attempt: 1},
		league.ResultRecorded{Match: m.ID, Referee: "REF01", Attempt: 1, Result: league.Result{
			Status: protocol.TechnicalLoss, Winner: m.B, Forfeits: map[string]string{m.A: protocol.Timeout.Code},
			Choices: map[string]json.RawMessage{m.A: json.RawMessage(`"+1"`)},
		}},
	} {
		if err := s.Apply(time.Unix(1, 0), e); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestAllMatchesAreExportedWithReasonsInWords(t *testing.T) {
	t.Parallel()
	s := halfPlayed(t, "=cmd()", "Ben", "Cleo", "Dan")
	var results, players strings.Builder
	if err := Results(s).WriteCSV(&results); err != nil {
		t.Error(err)
	}
	if err := Players(s, s.Table()).WriteCSV(&players); err != nil {
		t.Error(err)
	}
	rows, err := csv.NewReader(strings.NewReader(results.String())).ReadAll()
	if err != nil || len(rows) != 7 {
		t.Fatalf("got %d rows, %v; want all 6 matches and a header", len(rows), err)
	}
	if got := rows[1]; got[0] != "R1M1" || got[3] != "'=cmd()" || got[6] != "'+1" || got[15] == "" ||
		got[16] != "false" ||
		got[17] != "P01: it did not answer in time (E001)" {
		t.Errorf("got %q", got)
	}
	if got := rows[6]; got[9] != "SCHEDULED" || got[15] != "" {
		t.Errorf("a match that is to come: %q", got)
	}
	table, err := csv.NewReader(strings.NewReader(players.String())).ReadAll()
	if err != nil || len(table) != 5 || !strings.Contains(players.String(), "'=cmd()") {
		t.Errorf("got %q, %v", table, err)
	}
}

func TestUsageHasColumnsOnlyWhereSomebodyToldIt(t *testing.T) {
	var with, without bytes.Buffer
	u := &protocol.Usage{Model: "=evil()", Moves: 2, Fallbacks: 1, Requests: 3, InputTokens: 40, CachedTokens: 4, OutputTokens: 5,
		LatencyUS: 12_000, Priced: true, CostNanoUSD: 70}
	rows := []PlayerRow{{ID: "P01", Usage: u}, {ID: "P02"}}
	if err := (Sheet{lines: func() [][]string { return playerLines(rows) }}).WriteCSV(&with); err != nil {
		t.Fatal(err)
	}
	rows[0].Usage = nil
	if err := (Sheet{lines: func() [][]string { return playerLines(rows) }}).WriteCSV(&without); err != nil {
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
	lines := func() [][]string { return resultLines(protocol.EvenOdd, []ResultRow{{MatchID: "R1M1", UsageB: u}}) }
	if err := (Sheet{lines: lines}).WriteCSV(&results); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(results.String(), "cost_usd_A,model_B,") || !strings.Contains(results.String(), ",,,,,,,,,,'=evil(),2,") {
		t.Errorf("got\n%s", results.String())
	}
}

func TestNamesAreNoFormulas(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"": "", "Agent Alpha": "Agent Alpha", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@x": "'@x",
	} {
		if got := NoFormula(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
