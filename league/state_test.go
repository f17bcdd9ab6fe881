package league

import (
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
)

// A season is a league without a manager: decisions, their log, and the state
// that they lead to.
type season struct {
	t     testing.TB
	state *State
	log   [][]byte
	now   time.Time
	kept  func(MatchAssigned) bool // what no referee plays yet
}

func newSeason(t testing.TB, created Created) *season {
	created.LeagueID, created.GameType, created.Schema = "league", "even_odd", schema
	if created.Scoring == (protocol.Scoring{}) {
		created.Scoring = protocol.DefaultScoring
	}
	created.Tiebreakers = Tiebreakers
	s := &season{t: t, state: NewState(), now: time.Now(), kept: func(MatchAssigned) bool { return true }}
	s.write(created, Epoch{"a"})
	return s
}

// write puts events and what follows from them into the log and applies them.
func (s *season) write(events ...Event) {
	s.t.Helper()
	s.now = s.now.Add(time.Second)
	var batch []entry
	for len(events) > 0 {
		for _, e := range events {
			if err := s.state.Apply(s.now, e); err != nil {
				s.t.Fatalf("apply %#v: %v", e, err)
			}
			line, err := newEntry(s.now, e)
			if err != nil {
				s.t.Fatal(err)
			}
			batch = append(batch, line)
		}
		events = advance(s.state, s.kept, "5ec7e7")
	}
	data, err := json.Marshal(batch)
	if err != nil {
		s.t.Fatal(err)
	}
	s.log = append(s.log, data)
}

// entries are those of a log, as an engine reads them.
func entries(log [][]byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, data := range log {
			if !yield(data, nil) {
				return
			}
		}
	}
}

// join registers so many agents.
func (s *season) join(referees, players int) {
	s.t.Helper()
	for n := range referees {
		s.register(protocol.RoleReferee, fmt.Sprint("referee ", n+1))
	}
	for n := range players {
		s.register(protocol.RolePlayer, fmt.Sprint("player ", n+1))
	}
}

func (s *season) register(role protocol.Role, name string) *Agent {
	s.t.Helper()
	yes, no := admit(s.state, applicant(role, name), roomy)
	if no != nil {
		s.t.Fatalf("%s was refused: %s", name, no.reason)
	}
	s.write(*yes)
	return s.state.Agents[yes.ID]
}

func applicant(role protocol.Role, name string) application {
	return application{role: role, conversation: "conv-" + name, meta: protocol.AgentMeta{
		DisplayName: name, ContactEndpoint: "http://localhost:1/" + strings.ReplaceAll(name, " ", "-"), MaxConcurrentMatches: 1,
	}}
}

var roomy = limits{maxPlayers: 100, maxReferees: 100}

// begun returns a season in its first round.
func begun(t testing.TB, referees, players int, created Created) *season {
	t.Helper()
	s := newSeason(t, created)
	s.join(referees, players)
	s.write(startWith(s.state, func(string) bool { return true })...)
	s.write(openNext(s.state)...)
	return s
}

// report has a referee report a match, and returns the events.
func (s *season) report(referee, match string, attempt int, result protocol.ReportedResult) ([]Event, error) {
	r := &protocol.MatchResultReport{Result: result, Attempt: attempt}
	r.MatchID = match
	events, err := recordResult(s.state, referee, r, func(*Match) error { return nil })
	if len(events) > 0 {
		s.write(events...)
	}
	return events, err
}

// anyResult is a result of a match of a and b.
func anyResult(rng *rand.Rand, a, b string) (r protocol.ReportedResult) {
	switch rng.IntN(5) {
	case 0:
		r.Details.Status = protocol.Draw
	case 1:
		r.Details.Status, r.Details.Forfeits = protocol.TechnicalLoss, map[string]string{a: "E001", b: "E009"}
	case 2:
		r.Winner, r.Details.Status, r.Details.Forfeits = &a, protocol.TechnicalLoss, map[string]string{b: []string{"E001", "E004", "E009"}[rng.IntN(3)]}
	default:
		n := 1 + rng.IntN(10)
		r.Winner, r.Details.DrawnNumber = &b, &n
		r.Details.Choices = map[string]json.RawMessage{a: json.RawMessage(`"even"`), b: json.RawMessage(` "odd" `)}
	}
	return r
}

// live does something that can happen to a league, whatever its state.
func (s *season) live(rng *rand.Rand) {
	st := s.state
	switch what := rng.IntN(20); {
	case what == 0 && !st.Started():
		s.join(1+rng.IntN(3), 2+rng.IntN(4))
	case what == 1 && !st.Started() && len(st.Players()) > 1:
		s.write(startWith(st, func(id string) bool { return id <= "P02" || rng.IntN(10) > 0 })...)
	case what == 2 && st.Started():
		s.write(DialectLearned{st.Players()[0], protocol.Canonical})
	case what == 3:
		s.write(Paused{}, Epoch{"b"})
	case what == 4 && st.Paused:
		s.write(Resumed{})
	case what == 5 && rng.IntN(10) == 0 && st.Started():
		s.write(Withdrawn{st.Players()[rng.IntN(len(st.Players()))]})
	case what == 6:
		for _, ref := range st.Roster(protocol.RoleReferee) {
			s.write(AgentState{ref.ID, []string{protocol.AgentActive, protocol.AgentSuspended}[rng.IntN(2)], "by chance"})
		}
	case what == 7 && len(st.Agents) > 0:
		a := st.Roster(protocol.RoleReferee)[0]
		ap := applicant(protocol.RoleReferee, a.Name)
		ap.conversation = fmt.Sprint(rng.Int())
		yes, _ := admit(st, ap, roomy)
		s.write(*yes)
	case what == 8:
		s.write(Announced{"round", st.Round})
	case what == 9:
		s.write(StartOrdered{})
	default:
		if events := openNext(st); len(events) > 0 {
			s.write(events...)
		}
		s.playOne(rng)
	}
}

// playOne reports one of the open matches, by any referee that was ever asked for it.
func (s *season) playOne(rng *rand.Rand) {
	open := s.state.Open()
	if len(open) == 0 {
		return
	}
	m := open[rng.IntN(len(open))]
	if len(m.Assigned) == 0 {
		return
	}
	a := m.Assigned[rng.IntN(len(m.Assigned))]
	if _, err := s.report(a.Referee, m.ID, a.Attempt, anyResult(rng, m.A, m.B)); err != nil {
		s.t.Errorf("report of %s: %v", m.ID, err)
	}
}

func TestReplayEqualsPlay(t *testing.T) {
	completed := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 5))
		s := newSeason(t, Created{Cycles: 1 + rng.IntN(2), Rounds: rng.IntN(4), MaxForfeits: rng.IntN(4), SeatMatters: rng.IntN(2) == 0})
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

// checkLaws holds what is true of a league at every moment.
func (s *season) checkLaws(seed uint64) {
	played, points := 0, 0
	for _, row := range s.state.Standings() {
		played, points = played+row.Played, points+row.Points
		if t := s.state.tallyOf(row.PlayerID); t != (protocol.Tally{Wins: row.Wins, Losses: row.Losses, Draws: row.Draws, Points: row.Points}) {
			s.t.Errorf("seed %d: tally of %s is %+v, the table says %+v", seed, row.PlayerID, t, row)
		}
	}
	want := 0
	for _, p := range s.state.Results() {
		want += p.Result.points(p.A, protocol.DefaultScoring) + p.Result.points(p.B, protocol.DefaultScoring)
	}
	if played != 2*s.state.Recorded || points != want {
		s.t.Errorf("seed %d: %d played and %d points of %d results worth %d", seed, played, points, s.state.Recorded, want)
	}
	if st := s.state; st.Completed() && (st.Recorded != st.Schedule.Matches() || st.RoundOpen || st.DrawSecret != "5ec7e7") {
		s.t.Errorf("seed %d: completed with %d of %d results", seed, st.Recorded, st.Schedule.Matches())
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
		{"started twice", nil, Started{[]string{"P01", "P02"}}, "started twice"},
		{"round opened twice", nil, RoundOpened{1}, "round 1 was opened after round 1 of 3"},
		{"round skipped", nil, RoundOpened{3}, "round 3 was opened after round 1"},
		{"next round before the end of this", nil, RoundOpened{2}, "round 2 was opened after round 1"},
		{"round closed early", nil, RoundClosed{1}, "round 1 was closed before its end"},
		{"another round closed", nil, RoundClosed{2}, "round 2 was closed before its end"},
		{"completed early", nil, Completed{"x"}, "completed in round 1 of 3"},
		{"state of nobody", nil, AgentState{"P77", protocol.AgentActive, ""}, `"P77", which never registered`},
		{"dialect of nobody", nil, DialectLearned{"P77", "x"}, `"P77", which never registered`},
		{"withdrawal of nobody", nil, Withdrawn{"P77"}, `"P77", which never registered`},
		{"a role that there is not", nil, Registered{Role: "admin", ID: "X1"}, `"X1" registered as a "admin"`},
		{"a player that becomes a referee", nil, Registered{Role: protocol.RoleReferee, ID: "P01"}, `"P01" registered as a "referee"`},
		{"two of one name", nil, player("P05", "player 1"), `"P05" registered under the name of P01`},
		{"one that takes another's name", nil, player("P02", "player 1"), `"P02" registered under the name of P01`},
		{"assignment of no match", nil, MatchAssigned{"R2M1", "REF01", 1}, `match "R2M1", whose round was never opened`},
		{"assignment to nobody", nil, MatchAssigned{"R1M1", "REF77", 2}, `"REF77", which is no referee`},
		{"assignment to a player", nil, MatchAssigned{"R1M1", "P01", 2}, `"P01", which is no referee`},
		{"an attempt twice", nil, MatchAssigned{"R1M1", "REF02", 1}, "attempt 1 was assigned after attempt 1"},
		{"an attempt skipped", nil, MatchAssigned{"R1M1", "REF02", 3}, "attempt 3 was assigned after attempt 1"},
		{"result of no match", nil, ResultRecorded{Match: "R9M9"}, `match "R9M9", whose round was never opened`},
		{"result of one never asked", nil, ResultRecorded{Match: "R1M1", Referee: "REF02", Attempt: 1}, `attempt 1 was never assigned to "REF02"`},
		{"result of no attempt", nil, ResultRecorded{Match: "R1M1", Referee: "REF01", Attempt: 2}, `attempt 2 was never assigned to "REF01"`},
		{"won by nobody of them", nil, ResultRecorded{Match: "R1M1", Result: Result{Winner: "P03"}}, `was won by "P03"`},
		{"recorded twice", []Event{ResultRecorded{Match: "R1M1"}}, ResultRecorded{Match: "R1M1"}, "R1M1, which has been recorded"},
		{"assigned after its result", []Event{ResultRecorded{Match: "R1M1"}}, MatchAssigned{"R1M1", "REF02", 2}, "R1M1, which has been recorded"},
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
	if err := NewState().Apply(now, Epoch{"a"}); err == nil || !strings.Contains(err.Error(), "created once, before all else: league.Epoch") {
		t.Errorf("got %v", err)
	}
	if err := NewState().Apply(now, Created{Schema: schema + 1}); err == nil || !strings.Contains(err.Error(), "a newer version wrote this log") {
		t.Errorf("a newer schema: got %v", err)
	}
}

func TestStartNamesEachPlayerOnce(t *testing.T) {
	for _, players := range [][]string{{"P01", "P77"}, {"P01", "REF01"}, {"P01", "P02", "P01"}} {
		s := newSeason(t, Created{})
		s.join(1, 2)
		if err := s.state.Apply(s.now, Started{players}); err == nil || !strings.Contains(err.Error(), "which is no player or is there twice") {
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
	if events := openNext(s.state); events != nil {
		t.Errorf("after the end %v is to be opened", events)
	}
}

func TestFoldStopsAtTheFirstError(t *testing.T) {
	s := begun(t, 1, 2, Created{})
	bad := slices.Concat(s.log, [][]byte{[]byte(`[{"kind":"RoundOpened","at":"2025-01-01T00:00:00Z","event":{"round":9}}]`)})
	if _, err := Fold(entries(bad)); err == nil || !strings.Contains(err.Error(), "round 9 was opened") {
		t.Errorf("got %v", err)
	}
	broken := func(yield func([]byte, error) bool) { yield(nil, fmt.Errorf("disk on fire")) }
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
		yes, _ := admit(s.state, applicant(a.Role, a.Name), roomy)
		s.write(*yes)
		return a.State + a.Why
	}
	if got := again("P01"); got != protocol.AgentRegistered {
		t.Errorf("before the start: got %q, want REGISTERED", got)
	}
	s.write(startWith(s.state, func(string) bool { return true })...)
	if got := again("P01"); got != protocol.AgentActive {
		t.Errorf("after the start: got %q, want ACTIVE", got)
	}
	s.write(Withdrawn{"P01"})
	yes, _ := admit(s.state, applicant(protocol.RolePlayer, "player 1"), roomy)
	s.write(*yes)
	if got := s.state.Agents["P01"].State; got != protocol.AgentShutdown {
		t.Errorf("after a withdrawal: got %q, want SHUTDOWN", got)
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
	s.write(startWith(s.state, func(string) bool { return true })...)
	check(true, protocol.RunningLeague)
	s.write(openNext(s.state)...)
	if _, err := s.report("REF01", "R1M1", 1, protocol.ReportedResult{}); err != nil {
		t.Fatal(err)
	}
	check(false, protocol.LeagueIsCompleted)
}
