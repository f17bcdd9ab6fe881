package league

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"agentleague/protocol"
)

// holders returns how many open matches each referee has.
func (s *season) holders() map[string]int {
	out := map[string]int{}
	for _, m := range s.state.Open() {
		out[m.Attempt().Referee]++
	}
	return out
}

func TestMatchesAreAssignedInProportionToCapacity(t *testing.T) {
	for _, c := range []struct {
		capacity []int
		players  int
		want     map[string]int
	}{
		{[]int{1}, 8, map[string]int{"REF01": 4}},
		{[]int{1, 1}, 8, map[string]int{"REF01": 2, "REF02": 2}},
		{[]int{1, 1, 1}, 8, map[string]int{"REF01": 2, "REF02": 1, "REF03": 1}},
		{[]int{1, 3}, 8, map[string]int{"REF01": 1, "REF02": 3}},
		{[]int{2, 6}, 8, map[string]int{"REF01": 1, "REF02": 3}},
		{[]int{0, 4}, 10, map[string]int{"REF01": 1, "REF02": 4}},
		{[]int{10, 1}, 4, map[string]int{"REF01": 2}},
		{nil, 4, map[string]int{"": 2}},
	} {
		s := newSeason(t, Created{})
		for n, capacity := range c.capacity {
			ap := applicant(protocol.RoleReferee, fmt.Sprint("referee ", n))
			ap.meta.MaxConcurrentMatches = capacity
			yes, _ := admit(s.state, ap, roomy)
			s.write(*yes)
		}
		s.join(0, c.players)
		s.write(startWith(s.state, func(string) bool { return true })...)
		s.write(openNext(s.state)...)
		if got := s.holders(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("capacities %v: got %v, want %v", c.capacity, got, c.want)
		}
	}
}

func TestMatchesOfALostRefereeGoToAnother(t *testing.T) {
	s := begun(t, 3, 12, Created{})
	s.write(AgentState{"REF02", protocol.AgentSuspended, "silent"})
	if got, want := s.holders(), map[string]int{"REF01": 3, "REF03": 3}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, m := range s.state.Open() {
		want := 1
		if m.Assigned[0].Referee == "REF02" {
			want = 2
		}
		if got := m.Attempt().Attempt; got != want {
			t.Errorf("%s: got attempt %d, want %d", m.ID, got, want)
		}
	}
}

func TestMatchWaitsForTheOnlyRefereeToReturn(t *testing.T) {
	s := begun(t, 1, 4, Created{})
	s.write(AgentState{"REF01", protocol.AgentSuspended, "silent"})
	s.write(AgentState{"REF01", protocol.AgentActive, ""})
	for _, m := range s.state.Open() {
		if got, want := m.Attempt(), (MatchAssigned{m.ID, "REF01", 1}); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

func TestRefereeThatComesLateTakesWhatNobodyHas(t *testing.T) {
	s := begun(t, 0, 4, Created{})
	s.register(protocol.RoleReferee, "late")
	if got, want := s.holders(), map[string]int{"REF01": 2}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRefusedMatchGoesToRefereesNotAskedYet(t *testing.T) {
	s := begun(t, 3, 2, Created{})
	var got []string
	for range 4 {
		a := s.state.Matches["R1M1"].Attempt()
		got = append(got, a.Referee)
		if events := reassign(s.state, a); len(events) > 0 {
			s.write(events...)
		}
	}
	if want := []string{"REF01", "REF02", "REF03", "REF03"}; !slices.Equal(got, want) {
		t.Errorf("asked %v, want %v", got, want)
	}
	if events := reassign(s.state, MatchAssigned{"R1M1", "REF01", 1}); events != nil {
		t.Errorf("an attempt that was overtaken is reassigned: %v", events)
	}
}

func TestMatchesOfWhoHasLeftAreNotPlayed(t *testing.T) {
	s := begun(t, 1, 4, Created{})
	s.write(Withdrawn{"P02"})
	got := s.state.Matches["R1M1"].Outcome
	want := Result{Status: protocol.TechnicalLoss, Winner: "P01", Forfeits: map[string]string{"P02": protocol.AgentShutdown}}
	if got == nil || got.Attempt != 0 || got.Referee != "" || !reflect.DeepEqual(got.Result, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	s.write(Withdrawn{"P04"})
	s.write(Withdrawn{"P03"})
	s.write(openNext(s.state)...)
	s.write(openNext(s.state)...)
	for id, want := range map[string]Result{
		"R1M2": {Status: protocol.TechnicalLoss, Winner: "P03", Forfeits: map[string]string{"P04": protocol.AgentShutdown}},
		"R2M1": {Status: protocol.TechnicalLoss, Winner: "P01", Forfeits: map[string]string{"P03": protocol.AgentShutdown}},
		"R2M2": {Status: protocol.TechnicalLoss, Forfeits: map[string]string{"P02": protocol.AgentShutdown, "P04": protocol.AgentShutdown}},
	} {
		if got := s.state.Matches[id].Outcome.Result; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", id, got, want)
		}
	}
	if !s.state.Completed() {
		t.Error("a league with one player left is not over")
	}
}

func TestMatchInPlayIsLeftToItsReferee(t *testing.T) {
	s := begun(t, 1, 4, Created{})
	s.kept = func(a MatchAssigned) bool { return a.Match != "R1M1" }
	s.write(Withdrawn{"P02"})
	if got := s.state.Matches["R1M1"].Outcome; got != nil {
		t.Fatalf("a match in play was recorded: %+v", got)
	}
	two := "P02"
	if _, err := s.report("REF01", "R1M1", 1, protocol.ReportedResult{Winner: &two}); err != nil {
		t.Fatal(err)
	}
	if got := s.state.Matches["R1M1"].Outcome.Result.Winner; got != two {
		t.Errorf("got the winner %q, want %q", got, two)
	}
}

func TestRoundOpensOnlyWhenItMay(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(s *season)
		want []Event
	}{
		{"started", func(s *season) {}, []Event{RoundOpened{1}}},
		{"paused", func(s *season) { s.write(Paused{}) }, nil},
		{"resumed", func(s *season) { s.write(Paused{}); s.write(Resumed{}) }, []Event{RoundOpened{1}}},
		{"open", func(s *season) { s.write(RoundOpened{1}) }, nil},
		{"over", func(s *season) { s.write(RoundOpened{1}); s.write(Withdrawn{"P01"}) }, nil},
	} {
		s := newSeason(t, Created{})
		s.join(1, 2)
		if got := openNext(s.state); got != nil {
			t.Errorf("before the start: got %v", got)
		}
		s.write(startWith(s.state, func(string) bool { return true })...)
		c.do(s)
		if got := openNext(s.state); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestLeagueStartsWithThoseWhoCanBeReached(t *testing.T) {
	s := newSeason(t, Created{})
	s.join(2, 12)
	s.write(Withdrawn{"P03"})
	got := startWith(s.state, func(id string) bool { return id != "P02" && id != "REF02" && id != "P03" })
	want := []Event{
		AgentState{"REF02", protocol.AgentSuspended, "its endpoint could not be reached"},
		AgentState{"P02", protocol.AgentSuspended, "its endpoint could not be reached"},
		Started{[]string{"P01", "P04", "P05", "P06", "P07", "P08", "P09", "P10", "P11", "P12"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

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
		{"not readable", "REF01", "R1M1", protocol.ReportedResult{Details: protocol.ReportDetails{Status: protocol.Win}}, 0, protocol.InvalidMessage},
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
	for kind, want := range map[*protocol.Kind]int{protocol.MatchNotFound: 5002, protocol.DuplicateReport: 5003, protocol.InvalidMessage: -32602} {
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
		{"REF01", 1, 1}, {"REF01", 3, 3}, {"REF01", 0, 3}, {"REF01", 2, 3}, {"REF01", 77, 3}, {"REF01", -1, 3}, {"REF02", 0, 2}, {"REF02", 1, 2},
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
	events, err := recordResult(s.state, "REF01", r, func(m *Match) error { return nil })
	want := ResultRecorded{
		Match: "R1M1", Attempt: 1, Referee: "REF01", Result: Result{Status: protocol.Draw}, DrawKey: "beef", RecordSHA256: "cafe", Moves: r.Moves,
	}
	if err != nil || !reflect.DeepEqual(events, []Event{want}) {
		t.Errorf("got %+v, %v, want %+v", events, err, want)
	}
	refused := protocol.Errorf(protocol.InvalidMessage, "wrong")
	if _, err := recordResult(s.state, "REF01", r, func(m *Match) error { return refused }); err != error(refused) {
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
	// The other one of a forfeit: only an answer of its own says that it is there.
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
		if events := openNext(s.state); len(events) > 0 {
			s.write(events...)
		}
	}
	p := s.state.Agents["P01"]
	for i, c := range []struct {
		forfeits bool
		state    string
		row      int
	}{
		{true, protocol.AgentSuspended, 1}, {false, protocol.AgentActive, 0}, {true, protocol.AgentSuspended, 1}, {true, protocol.AgentSuspended, 2},
	} {
		play(c.forfeits)
		if p.State != c.state || p.Forfeits != c.row {
			t.Errorf("after round %d: got %s with %d forfeits in a row, want %s with %d", i+1, p.State, p.Forfeits, c.state, c.row)
		}
	}
	play(true)
	if p.State != protocol.AgentShutdown || p.Why != "3 forfeits in a row" {
		t.Errorf("got %s, %q, want SHUTDOWN", p.State, p.Why)
	}
}
