package league

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/engine"
	"agentleague/protocol"
)

func TestLongReplayEqualsPlay(t *testing.T) {
	completed := 0
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 5))
		s := newSeason(t, Created{
			Cycles: 1 + rng.IntN(2), Rounds: rng.IntN(4), MaxForfeits: rng.IntN(4), SeatMatters: rng.IntN(2) == 0,
		})
		s.kept = func(MatchAssigned) bool { return rng.IntN(3) > 0 }
		for range 150 {
			s.live(rng)
		}
		again, err := Fold(entries(s.log))
		if err != nil {
			t.Fatalf("seed %d: fold: %v", seed, err)
		}
		if !reflect.DeepEqual(again, s.state) {
			t.Errorf("seed %d: the state that was played and the one that is read differ", seed)
		}
		if !reflect.DeepEqual(again.Standings(), s.state.Standings()) {
			t.Errorf("seed %d: got the table\n%v\nwant\n%v", seed, again.Standings(), s.state.Standings())
		}
		s.checkLaws(seed)
		if again.Completed() {
			completed++
		}
	}
	if completed < 20 {
		t.Errorf("only %d of 200 seasons came to their end: they show too little", completed)
	}
}

// checkLaws checks the invariants of a league.
func (s *season) checkLaws(seed uint64) {
	played, points := 0, 0
	for _, row := range s.state.Standings() {
		played, points = played+row.Played, points+row.Points
		if t := s.state.TallyOf(row.PlayerID); t != (protocol.Tally{
			Wins: row.Wins, Losses: row.Losses, Draws: row.Draws, Points: row.Points,
		}) {
			s.t.Errorf("seed %d: tally of %s is %+v, the table says %+v", seed, row.PlayerID, t, row)
		}
	}
	want := 0
	for _, p := range s.state.resultsUntil(s.state.Round) {
		want += p.Result.Points(p.A, protocol.DefaultScoring) + p.Result.Points(p.B, protocol.DefaultScoring)
	}
	if played != 2*s.state.Recorded || points != want {
		s.t.Errorf("seed %d: %d played and %d points of %d results worth %d", seed, played, points, s.state.Recorded, want)
	}
	if st := s.state; st.Completed() && (st.Recorded != st.TotalMatches() || st.RoundOpen ||
		st.DrawSecret != "5ec7e7") {
		s.t.Errorf("seed %d: completed with %d of %d results", seed, st.Recorded, st.TotalMatches())
	}
}

func TestContradictionsInTheLogAreRefused(t *testing.T) {
	// Two referees, four players, round 1 open: R1M1 at REF01, R1M2 at REF02.
	player := func(id, name string) Registered { return Registered{Role: protocol.RolePlayer, ID: id, Name: name} }
	for _, c := range []struct {
		name   string
		before []Event
		event  Event
		want   string
	}{
		{"created twice", nil, Created{}, "created once"},
		{"started twice", nil, Started{Players: []string{"P01", "P02"}}, "started twice"},
		{"round opened twice", nil, RoundOpened{1}, "round 1 was opened after round 1 of 3"},
		{"round skipped", nil, RoundOpened{3}, "round 3 was opened after round 1"},
		{"next round before the end of this", nil, RoundOpened{2}, "round 2 was opened after round 1"},
		{"round closed early", nil, RoundClosed{1}, "round 1 was closed before its end"},
		{"another round closed", nil, RoundClosed{2}, "round 2 was closed before its end"},
		{"completed early", nil, Completed{"x"}, "completed in round 1 of 3"},
		{"state of nobody", nil, AgentState{"P77", protocol.AgentActive, ""}, `"P77", which never registered`},
		{"dialect of nobody", nil, DialectLearned{"P77", "x"}, `"P77", which never registered`},
		{"withdrawal of nobody", nil, Withdrawn{ID: "P77"}, `"P77", which never registered`},
		{"a role that there is not", nil, Registered{Role: "admin", ID: "X1"}, `"X1" registered as a "admin"`},
		{"a player that becomes a referee", nil, Registered{Role: protocol.RoleReferee, ID: "P01"},
			`"P01" registered as a "referee"`},
		{"two of one name", nil, player("P05", "player 1"), `"P05" registered under the name of P01`},
		{"one that takes another's name", nil, player("P02", "player 1"), `"P02" registered under the name of P01`},
		{"assignment of no match", nil, MatchAssigned{"R2M1", "REF01", 1}, `match "R2M1", whose round was never opened`},
		{"assignment to nobody", nil, MatchAssigned{"R1M1", "REF77", 2}, `"REF77", which is no referee`},
		{"assignment to a player", nil, MatchAssigned{"R1M1", "P01", 2}, `"P01", which is no referee`},
		{"an attempt twice", nil, MatchAssigned{"R1M1", "REF02", 1}, "attempt 1 was assigned after attempt 1"},
		{"an attempt skipped", nil, MatchAssigned{"R1M1", "REF02", 3}, "attempt 3 was assigned after attempt 1"},
		{"result of no match", nil, ResultRecorded{Match: "R9M9"}, `match "R9M9", whose round was never opened`},
		{"result of one never asked", nil, ResultRecorded{Match: "R1M1", Referee: "REF02", Attempt: 1},
			`attempt 1 was never assigned to "REF02"`},
		{"result of no attempt", nil, ResultRecorded{Match: "R1M1", Referee: "REF01", Attempt: 2},
			`attempt 2 was never assigned to "REF01"`},
		{"won by nobody of them", nil, ResultRecorded{Match: "R1M1", Result: Result{Winner: "P03"}}, `was won by "P03"`},
		{"recorded twice", []Event{ResultRecorded{Match: "R1M1"}}, ResultRecorded{Match: "R1M1"},
			"R1M1, which has been recorded"},
		{"assigned after its result", []Event{ResultRecorded{Match: "R1M1"}}, MatchAssigned{"R1M1", "REF02", 2},
			"R1M1, which has been recorded"},
		{"nil", nil, nil, "unknown event <nil>"},
	} {
		s := begun(t, 2, 4, Created{})
		if len(c.before) > 0 {
			s.write(c.before...)
		}
		if err := s.state.Apply(s.now, c.event); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

func TestLogBeginsWithTheCreationOfTheLeague(t *testing.T) {
	now := time.Now()
	if err := NewState().Apply(now, Epoch{Holder: "a"}); err == nil ||
		!strings.Contains(err.Error(), "created once, before all else: league.Epoch") {
		t.Errorf("got %v", err)
	}
	if err := NewState().Apply(now, Created{Schema: FormatSchema + 1}); err == nil ||
		!strings.Contains(err.Error(), "a newer version wrote this log") {
		t.Errorf("a newer schema: got %v", err)
	}
}

func TestStartNamesEachPlayerOnce(t *testing.T) {
	for _, players := range [][]string{{"P01", "P77"}, {"P01", "REF01"}, {"P01", "P02", "P01"}} {
		s := newSeason(t, Created{})
		s.join(1, 2)
		if err := s.state.Apply(s.now, Started{Players: players}); err == nil ||
			!strings.Contains(err.Error(), "which is no player or is there twice") {
			t.Errorf("%v: got %v", players, err)
		}
	}
}

func TestCompletionIsFinal(t *testing.T) {
	s := begun(t, 1, 2, Created{})
	if _, err := s.report("REF01", "R1M1", 1, protocol.ReportedResult{}); err != nil || !s.state.Completed() {
		t.Fatalf("a league of one match is not completed by its result: %v", err)
	}
	for _, e := range []Event{Completed{"x"}, RoundOpened{2}, RoundClosed{1}} {
		if err := s.state.Apply(s.now, e); err == nil {
			t.Errorf("%#v after the end: got no error", e)
		}
	}
	if events := OpenNext(s.state, "5ec7e7", s.state.At()); events != nil {
		t.Errorf("after the end %v is to be opened", events)
	}
}

func TestFoldStopsAtTheFirstError(t *testing.T) {
	s := begun(t, 1, 2, Created{})
	bad := slices.Concat(s.log, [][]byte{
		[]byte(`[{"kind":"RoundOpened","at":"2999-01-01T00:00:00Z","event":{"round":9}}]`),
	})
	if _, err := Fold(entries(bad)); err == nil || !strings.Contains(err.Error(), "round 9 was opened") {
		t.Errorf("got %v", err)
	}
	broken := func(yield func(engine.Entry, error) bool) { yield(engine.Entry{}, fmt.Errorf("disk on fire")) }
	if _, err := Fold(broken); err == nil || err.Error() != "disk on fire" {
		t.Errorf("got %v", err)
	}
}

func TestRegistrationMakesASuspendedAgentWellAgain(t *testing.T) {
	s := newSeason(t, Created{})
	s.join(1, 2)
	again := func(id string) string {
		a := s.state.Agents[id]
		s.write(AgentState{id, protocol.AgentSuspended, "silent"})
		s.register(a.Role, a.Name)
		return a.State + a.Why
	}
	if got := again("P01"); got != protocol.AgentRegistered {
		t.Errorf("before the start: got %q, want REGISTERED", got)
	}
	s.write(StartWith(s.state, everybodyReached)...)
	if got := again("P01"); got != protocol.AgentActive {
		t.Errorf("after the start: got %q, want ACTIVE", got)
	}
	s.write(Withdrawn{ID: "P01"})
	ap := native(applicant(protocol.RolePlayer, "player 1"))
	if d := Admit(s.state, s.takes(ap, Admit(s.state, ap, roomy)), roomy); d.No == nil || d.No.Of != "P01" {
		t.Errorf("after a withdrawal: got %s, want it to be told that it is out", d.word())
	}
}

func TestPhasesOfALeague(t *testing.T) {
	s := newSeason(t, Created{})
	check := func(starting bool, want string) {
		t.Helper()
		if got := s.state.Phase(starting); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	check(false, protocol.WaitingForRegistrations)
	check(true, protocol.CreatingSchedule)
	s.join(1, 2)
	s.write(StartWith(s.state, everybodyReached)...)
	check(true, protocol.RunningLeague)
	s.write(OpenNext(s.state, "5ec7e7", s.state.At())...)
	if _, err := s.report("REF01", "R1M1", 1, protocol.ReportedResult{}); err != nil {
		t.Fatal(err)
	}
	check(false, protocol.LeagueIsCompleted)
}
