package league

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"agentleague/protocol"
)

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
			ap := native(applicant(protocol.RoleReferee, fmt.Sprint("referee ", n)))
			ap.Meta.MaxConcurrentMatches = capacity
			s.admitted(s.takes(ap, Admit(s.state, ap, roomy)))
		}
		s.join(0, c.players)
		s.write(StartWith(s.state, everybodyReached)...)
		s.write(OpenNext(s.state, "5ec7e7", s.state.At())...)
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
		if events := Reassign(s.state, a); len(events) > 0 {
			s.write(events...)
		}
	}
	if want := []string{"REF01", "REF02", "REF03", "REF03"}; !slices.Equal(got, want) {
		t.Errorf("asked %v, want %v", got, want)
	}
	if events := Reassign(s.state, MatchAssigned{"R1M1", "REF01", 1}); events != nil {
		t.Errorf("an attempt that was overtaken is reassigned: %v", events)
	}
}

func TestMatchesOfWhoHasLeftAreNotPlayed(t *testing.T) {
	s := begun(t, 1, 4, Created{})
	s.write(Withdrawn{ID: "P02"})
	got := s.state.Matches["R1M1"].Outcome
	want := Result{
		Status: protocol.TechnicalLoss, Winner: "P01", Forfeits: map[string]string{"P02": protocol.AgentShutdown},
	}
	if got == nil || got.Attempt != 0 || got.Referee != "" || !reflect.DeepEqual(got.Result, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	s.write(Withdrawn{ID: "P04"})
	s.write(Withdrawn{ID: "P03"})
	s.write(OpenNext(s.state, "5ec7e7", s.state.At())...)
	s.write(OpenNext(s.state, "5ec7e7", s.state.At())...)
	for id, want := range map[string]Result{
		"R1M2": {Status: protocol.TechnicalLoss, Winner: "P03", Forfeits: map[string]string{"P04": protocol.AgentShutdown}},
		"R2M1": {Status: protocol.TechnicalLoss, Winner: "P01", Forfeits: map[string]string{"P03": protocol.AgentShutdown}},
		"R2M2": {
			Status: protocol.TechnicalLoss, Forfeits: map[string]string{
				"P02": protocol.AgentShutdown, "P04": protocol.AgentShutdown,
			},
		},
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
	s.write(Withdrawn{ID: "P02"})
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
		{"over", func(s *season) { s.write(RoundOpened{1}); s.write(Withdrawn{ID: "P01"}) }, nil},
	} {
		s := newSeason(t, Created{})
		s.join(1, 2)
		if got := OpenNext(s.state, "5ec7e7", s.state.At()); got != nil {
			t.Errorf("before the start: got %v", got)
		}
		s.write(StartWith(s.state, everybodyReached)...)
		c.do(s)
		if got := OpenNext(s.state, "5ec7e7", s.state.At()); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestLeagueStartsWithThoseWhoCanBeReached(t *testing.T) {
	s := newSeason(t, Created{})
	s.join(2, 12)
	s.write(Withdrawn{ID: "P03"})
	got := StartWith(s.state, reaching(func(id string) bool { return id != "P02" && id != "REF02" && id != "P03" }))
	want := []Event{
		AgentState{"REF02", protocol.AgentSuspended, "its endpoint could not be reached"},
		AgentState{"P02", protocol.AgentSuspended, "its endpoint could not be reached"},
		Started{Players: []string{"P01", "P04", "P05", "P06", "P07", "P08", "P09", "P10", "P11", "P12"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestReassignedMatchCountsOnce(t *testing.T) {
	s := begun(t, 2, 2, Created{})
	first := s.state.Matches["R1M1"].Attempt().Referee
	s.write(AgentState{first, protocol.AgentSuspended, "silent"})
	second := s.state.Matches["R1M1"].Attempt()
	if second.Attempt != 2 || second.Referee == first {
		t.Fatalf("got %+v, want another referee than %s", second, first)
	}
	winner := "P01"
	won := protocol.ReportedResult{Winner: &winner, Details: protocol.ReportDetails{Status: protocol.Win}}
	if _, err := s.report(second.Referee, "R1M1", 2, won); err != nil {
		t.Fatal(err)
	}
	for _, row := range s.state.Standings() {
		if want := map[string]int{"P01": 3}[row.PlayerID]; row.Played != 1 || row.Points != want {
			t.Errorf("got %+v, want one match and %d points", row, want)
		}
	}
}
