package roster

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/format"
	"agentleague/league"
	"agentleague/protocol"
)

// class returns a league of a round, in which Ada beat Bo, Cy did not answer Di, and Eve has not joined. Di was renamed.
func class(t *testing.T) *league.State {
	t.Helper()
	s := league.NewState()
	apply := func(events ...league.Event) {
		for _, e := range events {
			if err := s.Apply(time.Unix(1, 0), e); err != nil {
				t.Fatal(err)
			}
		}
	}
	apply(league.Scheduled(league.Created{LeagueID: "class", ManagerKey: strings.Repeat("0a", 32), GameType: protocol.EvenOdd, Scoring: protocol.DefaultScoring, Tiebreakers: league.Tiebreakers},
		format.Settings{Format: "swiss/1", Rounds: 3}), league.Registered{Role: protocol.RoleReferee, ID: "REF01", Name: "Referee"})
	names, ids := []string{"Ada", "Bo", "Cy", "Fox"}, []string{"P01", "P02", "P03", "P04"}
	for i, name := range names {
		apply(league.Invited{Role: protocol.RolePlayer, Name: name},
			league.Registered{Role: protocol.RolePlayer, ID: ids[i], Name: name, Invitation: name})
	}
	apply(league.Invited{Role: protocol.RolePlayer, Name: "Eve"}, league.Renamed{ID: "P04", Name: "Fennec"}, league.Started{Players: ids},
		league.RoundPaired{Round: 1, Pairs: []league.Pairing{{A: "P01", B: "P02"}, {A: "P03", B: "P04"}}}, league.RoundOpened{Round: 1})
	for i, result := range []league.Result{
		{Status: protocol.Win, Winner: "P01", Choices: map[string]json.RawMessage{"P01": json.RawMessage(`"even"`), "P02": json.RawMessage(`"odd"`)}},
		{Status: protocol.TechnicalLoss, Winner: "P04", Forfeits: map[string]string{"P03": protocol.Timeout.Code}},
	} {
		id := protocol.MatchID(1, i+1)
		apply(league.MatchAssigned{Match: id, Referee: "REF01", Attempt: 1}, league.ResultRecorded{Match: id, Referee: "REF01", Attempt: 1, Result: result})
	}
	apply(league.RoundClosed{Round: 1})
	return s
}

const classCSV = "\ufeffNr;Name;Agent;Notiz\r\n007;Ada;;-1,5\r\n008;Bo;;=cmd()\r\n009;Cy;;\"a;b\"\r\n010;Di;Fox;\"+49 (0)\"\r\n011;Eve;;\r\n"

// The roster's columns, separator, line ends and byte order mark stay. No cell is a formula.
func TestTheGradebookIsTheRosterWithResults(t *testing.T) {
	t.Parallel()
	s := class(t)
	r, err := parse("class.csv", []byte(classCSV))
	if err != nil {
		t.Fatal(err)
	}
	pass, err := Thresholds("present=1,points=3")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := r.Gradebook(&out, s, s.Table(), pass); err != nil {
		t.Fatal(err)
	}
	want := "\ufeffNr;Name;Agent;Notiz;league_agent;player_id;present;rounds;rank;points;wins;draws;losses;forfeits;forfeit_causes;present_at_least_1;points_at_least_3\r\n" +
		"007;Ada;;-1,5;Ada;P01;1;1;1;3;1;0;0;0;;yes;yes\r\n" +
		"008;Bo;;'=cmd();Bo;P02;1;1;3;0;0;0;1;0;;yes;no\r\n" +
		"009;Cy;;\"a;b\";Cy;P03;0;1;4;0;0;0;1;1;1 × it did not answer in time (E001);no;no\r\n" +
		"010;Di;Fox;'+49 (0);Fennec;P04;1;1;2;3;1;0;0;0;;yes;yes\r\n" +
		"011;Eve;;;;;0;1;;0;0;0;0;0;;no;no\r\n"
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Each student has the state of its agent with the cause; players that are not in the roster follow.
func TestStudentsHaveTheStateOfTheirAgents(t *testing.T) {
	t.Parallel()
	s := class(t)
	if err := s.Apply(time.Unix(2, 0), league.Withdrawn{ID: "P02", By: "a test"}); err != nil {
		t.Fatal(err)
	}
	r := Named("Ada", "Bo", "Cy", "Eve")
	facts := Facts{Refusals: []league.Refusal{{AgentID: "P01", Code: "KXWT", Address: "192.0.2.7"}}}
	var got []string
	for _, one := range r.Students(s, facts) {
		got = append(got, strings.Join([]string{one.Name, one.ID, one.State, one.Forfeit, one.Cause}, "|"))
	}
	want := []string{
		"Ada|P01|failing||a program was refused as P01: it could not prove that it is this agent, as when it was started in another folder",
		"Bo|P02|left||withdrawn", "Cy|P03|failing|R1M2|it lost R1M2 by forfeit: it did not answer in time",
		"Eve||missing||its program has not joined", "Fennec|P04|present||",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestWrongThresholdsAreNamed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"points", "rank=3", "points=x", "points=3;present=1"} {
		if _, err := Thresholds(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

// A bye counts as attended, unless the player does not answer: it forfeited the match before or, without one, its first.
func TestByesOfAbsentPlayersAreNotAttended(t *testing.T) {
	t.Parallel()
	s := class(t)
	for _, e := range []league.Event{
		league.RoundPaired{Round: 2, Pairs: []league.Pairing{{A: "P01", B: "P04"}}, Byes: []string{"P02", "P03"}}, league.RoundOpened{Round: 2},
		league.MatchAssigned{Match: "R2M1", Referee: "REF01", Attempt: 1},
		league.ResultRecorded{Match: "R2M1", Referee: "REF01", Attempt: 1, Result: league.Result{Status: protocol.TechnicalLoss, Winner: "P01",
			Forfeits: map[string]string{"P04": protocol.Timeout.Code}}},
	} {
		if err := s.Apply(time.Unix(2, 0), e); err != nil {
			t.Fatal(err)
		}
	}
	if got := Attended(s, "P01"); got != 1 || RoundsOver(s) != 1 {
		t.Errorf("an open round counts: %d of %d", got, RoundsOver(s))
	}
	if err := s.Apply(time.Unix(2, 0), league.RoundClosed{Round: 2}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]int{"P01": 2, "P02": 2, "P03": 0, "P04": 1} {
		if got := Attended(s, id); got != want {
			t.Errorf("%s attended %d rounds, want %d", id, got, want)
		}
	}
}
