package league

import (
	"encoding/json"
	"reflect"
	"testing"

	"agentleague/protocol"
)

func TestReportsAreCountedOnce(t *testing.T) {
	one, two := "P01", "P02"
	s := begun(t, 3, 2, Created{})
	s.write(MatchAssigned{"R1M1", "REF02", 2})
	won := protocol.ReportedResult{Winner: &one}
	for _, c := range []struct {
		name           string
		referee, match string
		result         protocol.ReportedResult
		events         int
		want           *protocol.Kind
	}{
		{"no such match", "REF01", "R9M1", won, 0, protocol.MatchNotFound},
		{"never assigned", "REF03", "R1M1", won, 0, protocol.MatchNotFound},
		{"not readable", "REF01", "R1M1", protocol.ReportedResult{Details: protocol.ReportDetails{Status: protocol.Win}}, 0,
			protocol.InvalidMessage},
		{"the first of those assigned", "REF01", "R1M1", won, 1, nil},
		{"the same again", "REF01", "R1M1", won, 0, nil},
		{"the same from the other", "REF02", "R1M1", won, 0, nil},
		{"another from the other", "REF02", "R1M1", protocol.ReportedResult{Winner: &two}, 0, protocol.DuplicateReport},
		{"another again", "REF01", "R1M1", protocol.ReportedResult{}, 0, protocol.DuplicateReport},
		{"never assigned, afterwards", "REF03", "R1M1", won, 0, protocol.MatchNotFound},
	} {
		events, err := s.report(c.referee, c.match, 0, c.result)
		if len(events) != c.events || (c.want == nil) != (err == nil) || c.want != nil && !protocol.Is(err, c.want) {
			t.Errorf("%s: got %d events, %v, want %d, %v", c.name, len(events), err, c.events, c.want)
		}
	}
	if s.state.Recorded != 1 {
		t.Errorf("counted %d times", s.state.Recorded)
	}
}

func TestNumbersOfRefusedReports(t *testing.T) {
	for kind, want := range map[*protocol.Kind]int{
		protocol.MatchNotFound: 5002, protocol.DuplicateReport: 5003, protocol.InvalidMessage: -32602,
	} {
		if got := kind.Numeric(protocol.TypeMatchResultReport); got != want {
			t.Errorf("%s: got %d, want %d", kind.Name, got, want)
		}
	}
}

func TestRecordNamesAnAttemptOfTheReportingReferee(t *testing.T) {
	for _, c := range []struct {
		referee    string
		said, want int
	}{
		{"REF01", 1, 1}, {"REF01", 3, 3}, {"REF01", 0, 3}, {"REF01", 2, 3}, {"REF01", 77, 3}, {"REF01", -1, 3},
		{"REF02", 0, 2}, {"REF02", 1, 2},
	} {
		s := begun(t, 2, 2, Created{})
		s.write(MatchAssigned{"R1M1", "REF02", 2}, MatchAssigned{"R1M1", "REF01", 3})
		if _, err := s.report(c.referee, "R1M1", c.said, protocol.ReportedResult{}); err != nil {
			t.Fatal(err)
		}
		if got := s.state.Matches["R1M1"].Outcome; got.Attempt != c.want || got.Referee != c.referee {
			t.Errorf("%s says attempt %d: got %s, %d, want %d", c.referee, c.said, got.Referee, got.Attempt, c.want)
		}
	}
}

func TestRecordKeepsWhatProvesIt(t *testing.T) {
	s := begun(t, 1, 2, Created{})
	r := &protocol.MatchResultReport{
		RecordSHA256: "cafe", Fairness: &protocol.Fairness{Key: "beef"},
		Moves: []protocol.PlayedMove{{PlayerID: "P01", Move: json.RawMessage(`"even"`)}},
	}
	r.MatchID = "R1M1"
	events, err := RecordResult(s.state, "REF01", r, func(*Match) (string, error) { return "", nil })
	want := ResultRecorded{
		Match: "R1M1", Attempt: 1, Referee: "REF01", Result: Result{Status: protocol.Draw}, DrawKey: "beef",
		RecordSHA256: "cafe", Moves: r.Moves,
	}
	if err != nil || !reflect.DeepEqual(events, []Event{want}) {
		t.Errorf("got %+v, %v, want %+v", events, err, want)
	}
	refused := protocol.Errorf(protocol.InvalidMessage, "wrong")
	if _, err := RecordResult(s.state, "REF01", r, func(*Match) (string, error) { return "", refused }); err != error(refused) {
		t.Errorf("got %v, want what the check says", err)
	}
}

func TestPlayersStandAsTheirResultsSay(t *testing.T) {
	suspended, active, out := protocol.AgentSuspended, protocol.AgentActive, protocol.AgentShutdown
	lost := func(code string) Result {
		return Result{Status: protocol.TechnicalLoss, Winner: "P02", Forfeits: map[string]string{"P01": code}}
	}
	chose := func(r Result, id string) Result {
		r.Choices = map[string]json.RawMessage{id: json.RawMessage(`"odd"`)}
		return r
	}
	won := Result{Status: protocol.Win, Winner: "P02"}
	for _, c := range []struct {
		name     string
		before   string // state of P01
		forfeits int    // of P01, in a row so far
		limit    int
		player   string
		result   Result
		want     string // state after it; "" for no change
	}{
		{"not heard", active, 0, 3, "P01", lost("E001"), suspended},
		{"not connected", active, 1, 3, "P01", lost("E009"), suspended},
		{"not heard again", suspended, 1, 3, "P01", lost("E001"), ""},
		{"illegal moves", active, 0, 3, "P01", lost("E004"), ""},
		{"no reason given", active, 0, 3, "P01", lost(""), ""},
		{"third in a row", suspended, 2, 3, "P01", lost("E001"), out},
		{"third in a row, illegal", active, 2, 3, "P01", lost("E004"), out},
		{"first, of at most one", active, 0, 1, "P01", lost("E001"), out},
		{"no limit", suspended, 99, 0, "P01", lost("E001"), ""},
		{"out already", out, 3, 3, "P01", lost("E001"), ""},
		{"played although suspended", suspended, 1, 3, "P01", won, active},
		{"drew although suspended", suspended, 1, 3, "P01", Result{Status: protocol.Draw}, active},
		{"played as usual", active, 0, 3, "P01", won, ""},
		{"out, but a match was in play", out, 0, 3, "P01", won, ""},
	} {
		s := begun(t, 1, 2, Created{MaxForfeits: c.limit})
		a := s.state.Agents[c.player]
		a.State, a.Forfeits = c.before, c.forfeits
		got := ""
		for _, e := range afterResult(s.state, s.state.Matches["R1M1"], c.result) {
			if e := e.(AgentState); e.ID == c.player {
				got = e.State
			}
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	// The opponent in a forfeit: only its own answer proves that it was reachable.
	for _, c := range []struct {
		name   string
		result Result
		want   []Event
	}{
		{"silent winner", lost("E004"), nil},
		{"winner that chose", chose(lost("E004"), "P02"), []Event{AgentState{"P02", active, ""}}},
	} {
		s := begun(t, 1, 2, Created{MaxForfeits: 3})
		s.state.Agents["P02"].State = suspended
		if got := afterResult(s.state, s.state.Matches["R1M1"], c.result); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestThreeForfeitsInARowEndAPlayersLeague(t *testing.T) {
	s := begun(t, 1, 6, Created{MaxForfeits: 3})
	play := func(forfeits bool) {
		for _, m := range s.state.Open() {
			var r protocol.ReportedResult
			if m.A == "P01" && forfeits {
				r.Winner, r.Details.Status, r.Details.Forfeits = &m.B, protocol.TechnicalLoss, map[string]string{"P01": "E001"}
			}
			if _, err := s.report("REF01", m.ID, 1, r); err != nil {
				t.Fatal(err)
			}
		}
		if events := OpenNext(s.state, "5ec7e7", s.state.At()); len(events) > 0 {
			s.write(events...)
		}
	}
	p := s.state.Agents["P01"]
	for i, c := range []struct {
		forfeits bool
		state    string
		row      int
	}{
		{true, protocol.AgentSuspended, 1}, {false, protocol.AgentActive, 0}, {true, protocol.AgentSuspended, 1},
		{true, protocol.AgentSuspended, 2},
	} {
		play(c.forfeits)
		if p.State != c.state || p.Forfeits != c.row {
			t.Errorf("after round %d: got %s with %d forfeits in a row, want %s with %d", i+1, p.State, p.Forfeits,
				c.state, c.row)
		}
	}
	play(true)
	if p.State != protocol.AgentShutdown || p.Why != "3 forfeits in a row" {
		t.Errorf("got %s, %q, want SHUTDOWN", p.State, p.Why)
	}
}
