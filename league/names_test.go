package league

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
)

// at moves an applicant to a port.
func at(ap Application, port int) Application {
	ap.Meta.ContactEndpoint = fmt.Sprintf("http://localhost:%d/mcp", port)
	ap.Place = fmt.Sprintf("localhost:%d/mcp", port)
	return ap
}

// names lists the players of a season as they are displayed.
func (s *season) names() (out string) {
	for _, a := range s.state.Roster(protocol.RolePlayer) {
		out += a.ID + " " + a.Name + ", "
	}
	return strings.TrimSuffix(out, ", ")
}

func TestForeignAgentsOfOneName(t *testing.T) {
	s := newSeason(t, Created{})
	for port, name := range []string{"Agent Alpha", "Agent Alpha", "agent \u0430lpha", "P02", "P01", "Referee", "Referee"} {
		s.admitted(at(applicant(protocol.RolePlayer, name), port+1))
	}
	want := "P01 Agent Alpha, P02 Agent Alpha (2), P03 agent \u0430lpha (3), P04 P02 (2), P05 P01 (2), P06 Referee (2), " +
		"P07 Referee (3)"
	if got := s.names(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.admitted(at(applicant(protocol.RolePlayer, "P08"), 8))
	if got := s.state.Agents["P08"].Name; got != "P08" {
		t.Errorf("an agent that calls itself by its own id is called %q", got)
	}
	if findings := auditOf(t, s); len(findings) > 0 {
		t.Errorf("the log: %+v", findings)
	}
}

func auditOf(t *testing.T, s *season) []Finding {
	t.Helper()
	a, err := NewAudit(entries(s.log), func(*protocol.MatchResultReport, string, string) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return a.Findings
}

func TestReservedNamesAreRefusedToNativeAgents(t *testing.T) {
	for _, name := range []string{"P01", "REF07", "admin", "\u0430dmin", "league_manager", "Referee", "manager"} {
		s := newSeason(t, Created{})
		d := Admit(s.state, native(applicant(protocol.RolePlayer, name)), roomy)
		if d.No == nil || d.No.Kind != protocol.DuplicateName || d.No.Of != "" || d.No.Advice == "" {
			t.Errorf("%+q: got %s %+v", name, d.word(), d.No)
		}
	}
	s := newSeason(t, Created{})
	s.write(Invited{Role: protocol.RolePlayer, Name: "admin"},
		Registered{Role: protocol.RolePlayer, ID: "P01", Name: "P02", Place: "localhost:1/mcp"})
	if got := len(auditOf(t, s)); got != 2 {
		t.Errorf("%d findings, want one for the invitation and one for the name", got)
	}
}

// TestLookAlikesOfANativeAgent tries to be displayed as a native agent is.
func TestLookAlikesOfANativeAgent(t *testing.T) {
	for _, name := range []string{
		"Team Fox", "team fox", "T\u0435am F\u043ex", "Team\u200b Fox", "\u202eTeam Fox", "Team  Fox", "Ｔｅａｍ Fox", "Tearn Fox",
	} {
		for _, invited := range []bool{false, true} {
			s := newSeason(t, Created{})
			if invited {
				s.write(Invited{Role: protocol.RolePlayer, Name: "Team Fox"})
			} else {
				s.register(protocol.RolePlayer, "Team Fox")
			}
			thief := at(applicant(protocol.RolePlayer, name), 9)
			thief.Now = s.now.Add(time.Hour)
			if err := CheckMeta(thief.Role, &thief.Meta); err != nil {
				t.Fatal(err)
			}
			if d := Admit(s.state, thief, roomy); d.No == nil || d.No.Kind != protocol.DuplicateName {
				t.Errorf("%+q, invited %v: got %s", name, invited, d.word())
			}
			err := s.state.Clone().Apply(s.now, Registered{Role: protocol.RolePlayer, ID: "P09", Name: thief.Meta.DisplayName})
			if err == nil {
				t.Errorf("%+q, invited %v: the log takes it", name, invited)
			}
		}
	}
	s := newSeason(t, Created{})
	s.register(protocol.RolePlayer, "Team Fox")
	s.admitted(at(applicant(protocol.RolePlayer, "Team Wolf"), 8))
	renamed := at(applicant(protocol.RolePlayer, "T\u0435am F\u043ex"), 8)
	if d := Admit(s.state, renamed, roomy); d.word() != "P02=" {
		t.Errorf("an agent that takes the name later: got %s", d.word())
	}
}

func TestSilentPredecessorIsReplaced(t *testing.T) {
	s := newSeason(t, Created{})
	s.admitted(at(applicant(protocol.RolePlayer, "Agent Alpha"), 1), at(applicant(protocol.RolePlayer, "Referee"), 2))
	for name, id := range map[string]string{"AGENT Alpha": "P01", "referee": "P02"} {
		old := s.state.Agents[id]
		ap := at(applicant(protocol.RolePlayer, name), 9+len(name))
		ap.Now = old.RegisteredAt.Add(replaceAfter + time.Second)
		if d := Admit(s.state, ap, roomy); d.word() != id+"?" {
			t.Fatalf("%s: got %s, want %s to be asked", name, d.word(), id)
		}
		ap.Answers = map[string]bool{AskedAs(old): false}
		full := roomy
		full.MaxPlayers = 2
		d := Admit(s.state, ap, full)
		if d.word() != id || d.Yes.Endpoint != ap.Meta.ContactEndpoint || d.Yes.Name != old.Name {
			t.Fatalf("%s: got %s %+v", name, d.word(), d.Yes)
		}
		ap.Answers[AskedAs(old)] = true
		if d := Admit(s.state, ap, full); d.No == nil || d.No.Kind != protocol.LeagueFull {
			t.Errorf("%s, full, the other answers: got %s", name, d.word())
		}
		s.write(*d.Yes)
	}
	if got, want := s.names(), "P01 Agent Alpha, P02 Referee (2)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.write(Withdrawn{ID: "P01"})
	ap := at(applicant(protocol.RolePlayer, "Agent Alpha"), 77)
	ap.Now = s.now.Add(time.Hour)
	if d := Admit(s.state, ap, roomy); d.word() != "P03" || d.Yes.Name != "Agent Alpha (2)" {
		t.Errorf("the name of a withdrawn agent: got %s %+v", d.word(), d.Yes)
	}
}

func TestRenamesByRegistrationAreLimited(t *testing.T) {
	s := newSeason(t, Created{})
	ap := at(applicant(protocol.RolePlayer, "name"), 1)
	s.admitted(ap)
	for n := range MaxRenames {
		ap.Meta.DisplayName = fmt.Sprint("name ", n)
		d := Admit(s.state, ap, roomy)
		if d.Yes == nil || !d.Renames {
			t.Fatalf("%d: got %s, renames %v", n, d.word(), d.Renames)
		}
		s.write(*d.Yes)
	}
	last := ap.Meta.DisplayName
	if d := Admit(s.state, ap, roomy); d.word() != "P01=" {
		t.Errorf("under its own name: got %s", d.word())
	}
	ap.Meta.DisplayName = "one more"
	if d := Admit(s.state, ap, roomy); d.No == nil || d.No.Kind != protocol.RateLimited || !strings.Contains(d.No.Advice, last) {
		t.Errorf("got %s %+v", d.word(), d.No)
	}
	s.write(Renamed{ID: "P01", Name: "fixed", By: "admin"})
	if d := Admit(s.state, ap, roomy); d.word() != "P01=" || d.Yes.Name != "fixed" {
		t.Errorf("after the organizer named it: got %s %+v", d.word(), d.Yes)
	}
}

func TestOrganizerRenames(t *testing.T) {
	s := newSeason(t, Created{})
	s.register(protocol.RolePlayer, "Team Fox")
	s.write(Invited{Role: protocol.RolePlayer, Name: "Team Owl"})
	s.admitted(at(applicant(protocol.RolePlayer, "Agent Alpha"), 1))
	for name, kind := range map[string]*protocol.Kind{
		"Team F\u043ex": protocol.DuplicateName, "team owl": protocol.DuplicateName, "admin": protocol.DuplicateName,
		"P03": protocol.DuplicateName, "": protocol.InvalidMessage, "\u202eabc": protocol.InvalidMessage,
		"P02": nil, "AGENT ALPHA": nil, "Agent Beta": nil,
	} {
		err := s.state.CheckRename(s.state.Agents["P02"], name)
		if kind == nil && err != nil || kind != nil && !protocol.Is(err, kind) {
			t.Errorf("%+q: got %v", name, err)
		}
		if got := s.state.Clone().Apply(s.now, Renamed{ID: "P02", Name: name}); (got == nil) != (err == nil) {
			t.Errorf("%+q: the log says %v", name, got)
		}
	}
	if err := s.state.CheckRename(s.state.Agents["P01"], "P01"); err == nil {
		t.Error("a native agent may be called by an id")
	}
	s.write(Renamed{ID: "P01", Name: "Team Wolf", By: "admin"}, Renamed{ID: "P02", Name: "Team Fox", By: "admin"})
	if got, want := s.names(), "P01 Team Wolf, P02 Team Fox"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	back := native(applicant(protocol.RolePlayer, "Team Fox"))
	back.Taken = &TakenPlace{ID: "P01", Generation: 1}
	if d := Admit(s.state, back, roomy); d.word() != "P01" || d.Yes.Name != "Team Wolf" {
		t.Errorf("it comes back under its old name: got %s %+v", d.word(), d.Yes)
	}
	forged := *Admit(s.state, back, roomy).Yes
	forged.Name = "Team Bear"
	if err := s.state.Clone().Apply(s.now, forged); err == nil {
		t.Error("the log lets an agent undo the organizer's name")
	}
	if err := s.state.Clone().Apply(s.now, Renamed{ID: "P09", Name: "x"}); err == nil {
		t.Error("an agent that never registered was renamed")
	}
	if o := s.state.Orders[len(s.state.Orders)-1]; o.What != "rename" || o.ID != "P02" || o.By != "admin" {
		t.Errorf("the order is noted as %+v", o)
	}
}

func TestOrganizerMerges(t *testing.T) {
	for _, answers := range []bool{true, false} {
		s := newSeason(t, Created{})
		s.admitted(at(applicant(protocol.RolePlayer, "Agent Alpha"), 1), at(applicant(protocol.RolePlayer, "Agent Alpha"), 2))
		kept, gone := s.state.Agents["P01"], s.state.Agents["P02"]
		s.write(Merge(kept, gone, answers, "admin")...)
		kept, gone = s.state.Agents["P01"], s.state.Agents["P02"]
		want := "http://localhost:2/mcp"
		if answers {
			want = "http://localhost:1/mcp"
		}
		if got := s.names(); got != "P01 Agent Alpha" || kept.Endpoint != want || gone.Merged != "P01" || gone.Live() {
			t.Errorf("answers %v: got %s at %s, and %+v", answers, got, kept.Endpoint, gone)
		}
		if !answers && kept.CallsItself != "P02" {
			t.Errorf("the kept agent calls itself %q, want P02", kept.CallsItself)
		}
		again := at(applicant(protocol.RolePlayer, "Agent Alpha"), 2)
		again.Wanted = "P02"
		d, word := Admit(s.state, again, roomy), "P03"
		if !answers {
			word = "P01="
		}
		if d.word() != word {
			t.Errorf("answers %v: the agent of the other endpoint is %s, want %s", answers, d.word(), word)
		}
		if findings := auditOf(t, s); len(findings) > 0 {
			t.Errorf("the log: %+v", findings)
		}
		for _, e := range []Event{Registered{Role: protocol.RolePlayer, ID: "P02", Name: "x"}, Readmitted{ID: "P02"},
			Renamed{ID: "P02", Name: "x"}, mergedEvent{Kept: "P02", Gone: "P01"}} {
			if err := s.state.Clone().Apply(s.now, e); err == nil {
				t.Errorf("the log takes %#v of an agent that is gone", e)
			}
		}
	}
}

func TestMergesThatAreRefused(t *testing.T) {
	s := newSeason(t, Created{})
	s.register(protocol.RolePlayer, "native")
	s.write(Invited{Role: protocol.RolePlayer, Name: "fox"})
	fox := at(applicant(protocol.RolePlayer, "fox"), 3)
	fox.Invitation = "fox"
	s.admitted(at(applicant(protocol.RolePlayer, "a"), 1), at(applicant(protocol.RolePlayer, "b"), 2), fox,
		at(applicant(protocol.RoleReferee, "judge"), 4))
	for _, c := range [][2]string{{"P01", "P02"}, {"P02", "P01"}, {"P02", "P04"}, {"P02", "P02"}, {"P02", "REF01"}, {"P02", "P09"}} {
		if err := s.state.Clone().Apply(s.now, mergedEvent{Kept: c[0], Gone: c[1]}); err == nil {
			t.Errorf("%s and %s were merged", c[0], c[1])
		}
	}
	s.write(StartWith(s.state, everybodyReached)...)
	if err := s.state.Apply(s.now, mergedEvent{Kept: "P02", Gone: "P03"}); err == nil {
		t.Error("two agents were merged after the start")
	}
}

// TestOlderLogsCompareTexts folds a log that was written before names were compared by their skeletons.
func TestOlderLogsCompareTexts(t *testing.T) {
	s, now := NewState(), time.Now()
	apply := func(s *State, events ...Event) error {
		for _, e := range events {
			if err := s.Apply(now, e); err != nil {
				return err
			}
		}
		return nil
	}
	a := Registered{Role: protocol.RolePlayer, ID: "P01", Name: "Fox", Place: "localhost:1/mcp", Generation: 1}
	b := Registered{Role: protocol.RolePlayer, ID: "P02", Name: "fox", Place: "localhost:2/mcp", Generation: 1}
	if err := apply(s, Created{Schema: 1}, Invited{Role: protocol.RolePlayer, Name: "Owl"},
		Invited{Role: protocol.RolePlayer, Name: "owl"}, a, b,
		Registered{Role: protocol.RolePlayer, ID: "P03", Name: "admin", Place: "localhost:3/mcp"}); err != nil {
		t.Fatal(err)
	}
	if err := apply(s.Clone(), Renamed{ID: "P01", Name: "x"}); err == nil {
		t.Error("a log of schema 1 renames")
	}
	if err := apply(s, Upgraded{Schema: 2, ManagerKey: protocol.AgreementPublic(managerKey)}, a, b,
		Registered{Role: protocol.RolePlayer, ID: "P04", Name: "Owl", Invitation: "Owl", Place: "localhost:4/mcp"},
		Registered{Role: protocol.RolePlayer, ID: "P05", Name: "owl", Invitation: "owl", Place: "localhost:5/mcp"}); err != nil {
		t.Errorf("after the upgrade: %v", err)
	}
	if err := apply(s, Registered{Role: protocol.RolePlayer, ID: "P06", Name: "FOX", Place: "localhost:6/mcp"}); err == nil {
		t.Error("a newcomer has a name that looks alike")
	}
	if got := s.Called("fox"); got != "fox" {
		t.Errorf("an ambiguous name means %s", got)
	}
}
