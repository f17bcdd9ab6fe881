package league

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"agentleague/league/location"
	"agentleague/league/naming"
	"agentleague/protocol"
)

func TestRefusalsOfNewcomers(t *testing.T) {
	over := func(s *season) {
		s.write(StartWith(s.state, everybodyReached)...)
		s.write(OpenNext(s.state, "5ec7e7", s.state.At())...)
		_, _ = s.report("REF01", "R1M1", 1, protocol.ReportedResult{})
	}
	started := func(s *season) { s.write(StartWith(s.state, everybodyReached)...) }
	invited := func(s *season) { s.write(Invited{Role: protocol.RolePlayer, Name: "newcomer"}) }
	for _, c := range []struct {
		name    string
		role    protocol.Role
		change  func(ap *Application, l *Limits)
		do      func(s *season)
		want    *protocol.Kind // nil: accepted
		numeric int
	}{
		{"player", protocol.RolePlayer, nil, nil, nil, 0},
		{"referee", protocol.RoleReferee, nil, nil, nil, 0},
		{"old version", protocol.RolePlayer, func(ap *Application, _ *Limits) {
			ap.Meta.ProtocolVersion = "1.0"
		}, nil, protocol.VersionMismatch, -32602},
		{"other game", protocol.RolePlayer, func(ap *Application, _ *Limits) {
			ap.Meta.GameTypes = []string{"chess"}
		}, nil, protocol.UnsupportedGame, 2004},
		{"other game, referee", protocol.RoleReferee, func(ap *Application, _ *Limits) {
			ap.Meta.GameTypes = []string{"chess"}
		}, nil, protocol.UnsupportedGame, 1003},
		{"several games", protocol.RolePlayer, func(ap *Application, _ *Limits) {
			ap.Meta.GameTypes = []string{"chess", "even_odd"}
		}, nil, nil, 0},
		{"window closed", protocol.RolePlayer, func(_ *Application, l *Limits) {
			l.Closed = true
		}, nil, protocol.RegistrationClosed, 2001},
		{"window closed, referee", protocol.RoleReferee, func(_ *Application, l *Limits) { l.Closed = true }, nil, nil, 0},
		{"started", protocol.RolePlayer, nil, started, protocol.RegistrationClosed, 2001},
		{"started, guest referee", protocol.RoleReferee, nil, started, protocol.RegistrationClosed, 1001},
		{"over", protocol.RolePlayer, nil, over, protocol.RegistrationClosed, 2001},
		{"over, referee", protocol.RoleReferee, nil, over, protocol.RegistrationClosed, 1001},
		{"full", protocol.RolePlayer, func(_ *Application, l *Limits) { l.MaxPlayers = 2 }, nil, protocol.LeagueFull, 2001},
		{"full of players only", protocol.RoleReferee, func(_ *Application, l *Limits) { l.MaxPlayers = 2 }, nil, nil, 0},
		{"full of referees", protocol.RoleReferee, func(_ *Application, l *Limits) {
			l.MaxReferees = 1
		}, nil, protocol.LeagueFull, 1001},
		{"name of a referee", protocol.RolePlayer, func(ap *Application, _ *Limits) {
			ap.Meta.DisplayName = "referee 1"
		}, nil, nil, 0},
		{"name of an invited one", protocol.RolePlayer, nil, invited, protocol.DuplicateName, 2002},
		{"for invited ones only", protocol.RolePlayer, func(_ *Application, l *Limits) {
			l.InvitedOnly = true
		}, nil, protocol.RegistrationClosed, 2001},
		{"for invited ones only, brought by the admin", protocol.RolePlayer, func(ap *Application, l *Limits) {
			l.InvitedOnly, ap.By = true, "admin"
		}, nil, nil, 0},
		{"no guests", protocol.RoleReferee, func(_ *Application, l *Limits) {
			l.Guests = GuestsNever
		}, nil, protocol.RegistrationClosed, 1001},
		{"invited guests only", protocol.RoleReferee, func(_ *Application, l *Limits) {
			l.Guests = GuestsInvited
		}, nil, protocol.RegistrationClosed, 1001},
	} {
		s := newSeason(t, Created{})
		s.join(1, 2)
		if c.do != nil {
			c.do(s)
		}
		ap, l := applicant(c.role, "newcomer"), roomy
		if c.change != nil {
			c.change(&ap, &l)
		}
		d := Admit(s.state, ap, l)
		switch {
		case c.want == nil && (d.Yes == nil || d.No != nil):
			t.Errorf("%s: refused: %+v", c.name, d.No)
		case c.want != nil && (d.Yes != nil || d.No == nil || d.No.Kind != c.want || d.No.Reason == ""):
			t.Errorf("%s: got %+v, %+v, want %s", c.name, d.Yes, d.No, c.want.Name)
		case c.want != nil:
			a := d.No.Admission(ap.Role)
			if a.Status != protocol.Rejected || a.ErrorCode != c.want.Code || a.ErrorName != c.want.Name ||
				a.Code != c.numeric || a.AuthToken != nil || a.LeagueID != nil {
				t.Errorf("%s: got %+v, want the code %d", c.name, a, c.numeric)
			}
		}
	}
}

// word encodes a decision: a granted id; an id with "?" that must be pinged first; an id with "!" that must be claimed
// by a signature; an id with "=" if nothing changes; or the code of a refusal.
func (d Ruling) word() string {
	switch {
	case d.No != nil:
		return d.No.Kind.Code
	case d.Ask != nil:
		return d.Ask.ID + "?"
	case d.Offer != nil:
		return d.Offer.ID + "!"
	case d.Same:
		return d.Yes.ID + "="
	}
	return d.Yes.ID
}

// TestWhoAnAgentIs covers the table of identification. P01 and P02 are native, P03 and P04 are foreign, P05 is foreign
// and was invited as "fox"; REF01 is the organiser's, REF02 a foreign guest.
func TestWhoAnAgentIs(t *testing.T) {
	type change = func(ap *Application)
	elsewhere := func(ap *Application) { ap.Meta.ContactEndpoint, ap.Place = "http://localhost:9/mcp", "localhost:9/mcp" }
	at := func(role protocol.Role, name string) change {
		return func(ap *Application) {
			there := applicant(role, name)
			ap.Meta.ContactEndpoint, ap.Place = there.Meta.ContactEndpoint, there.Place
		}
	}
	key := func(name string) change {
		return func(ap *Application) {
			ap.Meta.PublicKey, ap.Meta.AgreementKey = keyOf(protocol.RolePlayer, name), agreementOf(protocol.RolePlayer, name)
		}
	}
	later := func(ap *Application) { ap.Now = time.Now().Add(time.Hour) }
	swapped := func(ap *Application) { ap.Meta.AgreementKey = agreementOf(protocol.RolePlayer, "thief") }
	invited := func(name string) change { return func(ap *Application) { ap.Invitation = name } }
	answers := func(yes bool, ids ...string) change {
		return func(ap *Application) {
			ap.Answers = map[string]bool{}
			for _, id := range ids {
				ap.Answers[id] = yes
			}
		}
	}
	takes := func(id string) change {
		return func(ap *Application) { ap.Taken = &TakenPlace{ID: id, Generation: 1} }
	}
	all := func(changes ...change) change {
		return func(ap *Application) {
			for _, c := range changes {
				c(ap)
			}
		}
	}
	place := func(name string) string { return applicant(protocol.RolePlayer, name).Meta.ContactEndpoint }
	for _, c := range []struct {
		name   string
		called string
		change change
		before string // the decision before the start
		after  string // and after it
	}{
		{"native, by its key, where it was", "player 1", key("player 1"), "P01!", "P01!"},
		{"and it takes the place", "player 1", all(key("player 1"), takes("P01")), "P01", "P01"},
		{"native, by its key, elsewhere", "player 1", all(key("player 1"), elsewhere), "P01?", "P01?"},
		{"native, by its key, elsewhere, the old one answers", "player 1",
			all(key("player 1"), elsewhere, answers(true, "P01 "+place("player 1"))), "E022", "E022"},
		{"native, by its key, elsewhere, the old one is gone", "player 1",
			all(key("player 1"), elsewhere, answers(false, "P01 "+place("player 1"))), "P01!", "P01!"},
		{"and it takes the place there", "player 1", all(key("player 1"), elsewhere,
			answers(false, "P01 "+place("player 1")), takes("P01")), "P01", "P01"},
		{"native, with another agreement key", "player 1", all(key("player 1"), swapped), "E022", "E022"},
		{"native, without an agreement key", "player 1", func(ap *Application) {
			ap.Meta.PublicKey = keyOf(protocol.RolePlayer, "player 1")
		}, "E018", "E018"},
		{"native, by its key, renamed", "a new name", all(key("player 1"), at(protocol.RolePlayer, "player 1")),
			"P01!", "P01!"},
		{"a new key under a native's name", "player 1", all(key("new"), elsewhere), "E022", "E022"},
		{"a new key under a native's name, which answers", "player 1",
			all(key("new"), elsewhere, answers(true, "P01 "+place("player 1"))), "E022", "E022"},
		{"a new key under a native's name, which is silent", "player 1",
			all(key("new"), elsewhere, answers(false, "P01 "+place("player 1"))), "E022", "E022"},
		{"a new key under a foreign one's name, elsewhere", "player 3", all(key("new"), elsewhere), "P06!", "E022"},
		{"a new key, where a native is", "new", all(key("new"), at(protocol.RolePlayer, "player 1")), "P06!", "E019"},
		{"a new key, where a foreign one is", "new", all(key("new"), at(protocol.RolePlayer, "player 3")), "P06!", "E019"},
		{"a new key under a foreign one's name, where that is", "player 3",
			all(key("new"), at(protocol.RolePlayer, "player 3")), "P06!", "E022"},
		{"foreign, where it was", "player 3", func(*Application) {}, "P03=", "P03="},
		{"foreign, where it was, renamed", "a new name", at(protocol.RolePlayer, "player 3"), "P03", "P03="},
		{"foreign, where another foreign one is", "player 4", at(protocol.RolePlayer, "player 3"), "P03=", "P03="},
		{"foreign, at another path of a foreign one's port", "new", func(ap *Application) {
			at(protocol.RolePlayer, "player 3")(ap)
			ap.Place = location.Port(ap.Place) + "/x"
		}, "P03", "P03="},
		{"foreign, where a native is", "new", at(protocol.RolePlayer, "player 1"), "P01?", "E019"},
		{"foreign, where a native answers", "new", all(at(protocol.RolePlayer, "player 1"),
			answers(true, "P01 "+place("player 1"))), "E022", "E019"},
		{"foreign, where a native was", "new", all(at(protocol.RolePlayer, "player 1"),
			answers(false, "P01 "+place("player 1"))), "P06", "E019"},
		{"foreign, where a foreign referee is", "new", at(protocol.RoleReferee, "referee 2"), "E022", "E019"},
		{"foreign, elsewhere", "new", elsewhere, "P06", "E019"},
		{"foreign, elsewhere, another's name", "player 3", elsewhere, "P06", "E022"},
		{"foreign, elsewhere, a name of some time ago", "player 3", all(elsewhere, later), "P03?", "E022"},
		{"foreign, elsewhere, the name of one that answers", "player 3",
			all(elsewhere, later, answers(true, "P03 "+place("player 3"))), "P06", "E022"},
		{"foreign, elsewhere, the name of one that is silent", "player 3",
			all(elsewhere, later, answers(false, "P03 "+place("player 3"))), "P03", "E022"},
		{"foreign, elsewhere, the name of one that has just come and is silent", "player 3",
			all(elsewhere, answers(false, "P03 "+place("player 3"))), "P06", "E022"},
		{"foreign, elsewhere, a look-alike of a native's name", "\u0440l\u0430yer 1", elsewhere, "E022", "E022"},
		{"foreign, elsewhere, a native's name, which is silent", "player 1",
			all(elsewhere, later, answers(false, "P01 "+place("player 1"))), "E022", "E022"},
		{"foreign, elsewhere, the name of an invited one, which is silent", "fox",
			all(elsewhere, later, answers(false, "P05 "+place("fox"))), "E022", "E022"},
		{"foreign, elsewhere, a native's name", "player 1", all(elsewhere, answers(true, "P01 "+place("player 1"))),
			"E022", "E022"},
		{"invited, where it was", "whatever", all(invited("fox"), at(protocol.RolePlayer, "fox")), "P05", "P05"},
		{"invited, elsewhere", "whatever", all(invited("fox"), elsewhere), "P05?", "P05?"},
		{"invited, elsewhere, the old one answers", "whatever",
			all(invited("fox"), elsewhere, answers(true, "P05 "+place("fox"))), "E022", "E022"},
		{"invited, elsewhere, the old one is gone", "whatever",
			all(invited("fox"), elsewhere, answers(false, "P05 "+place("fox"))), "P05", "P05"},
		{"invited, with a key from now on", "whatever", all(invited("fox"), key("fox"), at(protocol.RolePlayer, "fox")),
			"P05!", "P05!"},
		{"invited and not come yet", "whatever", all(invited("owl"), elsewhere), "P06", "E019"},
		{"not invited, under an invited one's name", "owl", elsewhere, "E022", "E019"},
		{"not invited, where an invited one is", "new", at(protocol.RolePlayer, "fox"), "E022", "E019"},
	} {
		for _, started := range []bool{false, true} {
			s := newSeason(t, Created{})
			s.join(1, 2)
			s.write(Invited{Role: protocol.RolePlayer, Name: "fox"}, Invited{Role: protocol.RolePlayer, Name: "owl"})
			s.admitted(applicant(protocol.RolePlayer, "player 3"), applicant(protocol.RolePlayer, "player 4"),
				applicant(protocol.RoleReferee, "referee 2"))
			fox := applicant(protocol.RolePlayer, "fox")
			fox.Invitation = "fox"
			s.admitted(fox)
			want := c.before
			if started {
				s.write(StartWith(s.state, everybodyReached)...)
				want = c.after
			}
			ap := applicant(protocol.RolePlayer, c.called)
			c.change(&ap)
			d := Admit(s.state, ap, roomy)
			if got := d.word(); got != want {
				t.Errorf("%s, started %v: got %s, want %s (%+v)", c.name, started, got, want, d.No)
			}
			if d.Yes != nil && !d.Same {
				s.write(*d.Yes) // the log takes it
			}
		}
	}
}

// admitted registers foreign applicants.
func (s *season) admitted(aps ...Application) {
	s.t.Helper()
	for _, ap := range aps {
		d := Admit(s.state, ap, roomy)
		if d.Yes == nil {
			s.t.Fatalf("%s: %s %+v", ap.Meta.DisplayName, d.word(), d.No)
		}
		s.write(*d.Yes)
	}
}

// TestRulingIsTheReadersOwn changes an agent after it was decided on.
func TestRulingIsTheReadersOwn(t *testing.T) {
	s := newSeason(t, Created{})
	fox := applicant(protocol.RolePlayer, "fox")
	s.admitted(fox)
	elsewhere := fox
	elsewhere.Place, elsewhere.Meta.ContactEndpoint = "localhost:9/mcp", "http://localhost:9/mcp"
	elsewhere.Now = s.now.Add(time.Minute)
	same, ask := Admit(s.state, fox, roomy), Admit(s.state, elsewhere, roomy)
	if same.word() != "P01=" || ask.word() != "P01?" {
		t.Fatalf("got %s and %s", same.word(), ask.word())
	}
	before := *s.state.Agents["P01"]
	s.write(DialectLearned{ID: "P01", Dialect: "learned"})
	if s.state.Agents["P01"].Dialect != "learned" {
		t.Fatal("nothing was learned")
	}
	if !reflect.DeepEqual(*same.Yes, before.Registered) || !reflect.DeepEqual(*ask.Ask, before) {
		t.Errorf("the rulings changed with the league: %+v, %+v", same.Yes, ask.Ask)
	}
}

func TestSecondOfANameGetsANumber(t *testing.T) {
	s := newSeason(t, Created{})
	s.admitted(applicant(protocol.RolePlayer, "player 1"))
	long := strings.Repeat("x", naming.MaxLength)
	s.write(Registered{Role: protocol.RolePlayer, ID: "P02", Name: "player 1 (2)"},
		Registered{Role: protocol.RolePlayer, ID: "P03", Name: long})
	for name, want := range map[string]string{"player 1": "player 1 (3)", long: long[:naming.MaxLength-4] + " (2)"} {
		ap := applicant(protocol.RolePlayer, name)
		ap.Place = "localhost:9/mcp"
		if d := Admit(s.state, ap, roomy); d.Yes == nil || d.Yes.Name != want {
			t.Errorf("got %s %+v, want %q", d.word(), d.Yes, want)
		}
	}
}

// TestSquatterYields registers a name and an address before their owner does.
func TestSquatterYields(t *testing.T) {
	s := newSeason(t, Created{})
	s.admitted(applicant(protocol.RolePlayer, "fox"))
	fox := native(applicant(protocol.RolePlayer, "fox"))
	d := Admit(s.state, fox, roomy)
	s.write(*Admit(s.state, s.takes(fox, d), roomy).Yes)
	squatter, owner := s.state.Agents["P01"], s.state.Agents["P02"]
	if owner.Name != "fox" || squatter.Name != "fox (2)" || squatter.Displaced != "P02" {
		t.Errorf("got %q and %q, displaced by %q", owner.Name, squatter.Name, squatter.Displaced)
	}
}

func TestOrganisersRefereeIsAlwaysLetIn(t *testing.T) {
	for _, organisers := range []bool{true, false} {
		s := begun(t, 1, 2, Created{})
		ap := native(applicant(protocol.RoleReferee, "late"))
		l := Limits{MaxReferees: 1, InvitedOnly: true, Guests: GuestsNever, Closed: true}
		d := Admit(s.state, ap, l)
		if d.Offer == nil {
			t.Fatalf("got %s, want it to be asked first", d.word())
		}
		ap.Taken = &TakenPlace{ID: d.Offer.ID, Generation: 1, Organiser: organisers}
		d = Admit(s.state, ap, l)
		if (d.Yes != nil) != organisers || organisers && !d.Yes.Organiser {
			t.Errorf("organiser's %v: got %s", organisers, d.word())
		}
	}
}

func TestPlaceThatIsTakenMeanwhileIsOfferedAnew(t *testing.T) {
	s := newSeason(t, Created{})
	ap := native(applicant(protocol.RolePlayer, "one"))
	first := Admit(s.state, ap, roomy)
	s.register(protocol.RolePlayer, "two") // has P01 by now
	if d := Admit(s.state, s.takes(ap, first), roomy); d.Offer == nil || d.Offer.ID != "P02" {
		t.Errorf("got %s, want P02 to be offered", d.word())
	}
}

func TestWhoIsPutOutIsToldWhatToDo(t *testing.T) {
	s := begun(t, 1, 4, Created{})
	s.write(AgentState{"P01", protocol.AgentShutdown, "3 forfeits in a row"})
	ap := native(applicant(protocol.RolePlayer, "player 1"))
	d := Admit(s.state, ap, roomy)
	if d.word() != "P01!" {
		t.Fatalf("got %s, want it to show first that it is P01", d.word())
	}
	d = Admit(s.state, s.takes(ap, d), roomy)
	if d.No == nil || d.No.Of != "P01" || !strings.Contains(d.No.Reason, "3 forfeits in a row") ||
		!strings.Contains(d.No.Reason, "league readmit P01") {
		t.Fatalf("got %s %+v", d.word(), d.No)
	}
	before := s.state.Agents["P01"].RegisteredAt
	s.write(Readmitted{ID: "P01"})
	if a := s.state.Agents["P01"]; a.State != protocol.AgentActive || a.Forfeits != 0 || a.Generation != 1 ||
		!a.RegisteredAt.After(before) { // referees forget earlier failures to reach it
		t.Errorf("readmitted: %+v", a)
	}
	if d := Admit(s.state, ap, roomy); d.word() != "P01!" {
		t.Errorf("got %s after it was readmitted", d.word())
	}
}

func TestOrganiserLetsAnotherBeAnAgent(t *testing.T) {
	s := begun(t, 1, 2, Created{})
	heir := native(applicant(protocol.RolePlayer, "player 1"))
	heir.Meta.AgreementKey = agreementOf(protocol.RolePlayer, "heir")
	heir.Meta.PublicKey, heir.Place, heir.Meta.ContactEndpoint = "new key", "localhost:9/mcp", "http://localhost:9/mcp"
	s.write(Readmitted{ID: "P01", Key: "new key", Place: "localhost:9/mcp"})
	if a := s.state.Agents["P01"]; a.Generation != 2 {
		t.Errorf("the generation is %d, want older tokens to have ended", a.Generation)
	}
	old := native(applicant(protocol.RolePlayer, "player 1"))
	if d := Admit(s.state, old, roomy); d.No == nil {
		t.Errorf("the old one: got %s", d.word())
	}
	d := Admit(s.state, heir, roomy)
	if d.word() != "P01!" || d.Offer.Generation != 2 {
		t.Fatalf("the heir: got %s", d.word())
	}
	heir.Taken = &TakenPlace{ID: "P01", Generation: 2}
	d = Admit(s.state, heir, roomy)
	s.write(*d.Yes)
	if a := s.state.Agents["P01"]; a.Key != "new key" || a.Heir != nil || a.Name != "player 1" {
		t.Errorf("got %+v", a)
	}
	if d := Admit(s.state, old, roomy); d.No == nil || d.No.Of != "P01" {
		t.Errorf("the old one afterwards: got %s", d.word())
	}
}

func TestReturningAgentDoesNotTakeAnothersName(t *testing.T) {
	s := newSeason(t, Created{})
	s.join(0, 2)
	ap := native(applicant(protocol.RolePlayer, "player 1"))
	ap.Meta.DisplayName, ap.Taken = "player 2", &TakenPlace{ID: "P01", Generation: 1}
	d := Admit(s.state, ap, roomy)
	if d.No != nil || d.Yes.ID != "P01" || d.Yes.Name != "player 1" {
		t.Fatalf("got %+v, %+v, want P01 under its own name", d.Yes, d.No)
	}
}

func TestOldNameIsFreeAfterARenaming(t *testing.T) {
	s := newSeason(t, Created{})
	s.join(0, 1)
	ap := native(applicant(protocol.RolePlayer, "player 1"))
	ap.Meta.DisplayName, ap.Taken = "renamed", &TakenPlace{ID: "P01", Generation: 1}
	s.write(*Admit(s.state, ap, roomy).Yes)
	newcomer := applicant(protocol.RolePlayer, "player 1")
	newcomer.Place = "localhost:9/mcp"
	if d := Admit(s.state, newcomer, roomy); d.word() != "P02" {
		t.Errorf("a newcomer under the old name: %s, want P02", d.word())
	}
}

func TestPlacesAreOneHoweverTheyAreWritten(t *testing.T) {
	here := func(a string) bool { return a == "localhost" || a == "127.0.0.1" || a == "::1" || a == "10.0.0.7" }
	for endpoint, want := range map[string]string{
		"http://localhost:8101/mcp": "localhost:8101/mcp", "http://127.0.0.1:8101/mcp": "localhost:8101/mcp",
		"http://[::1]:8101/mcp":       "localhost:8101/mcp",
		"http://LOCALHOST:8101//mcp/": "localhost:8101/mcp", "http://10.0.0.7:8101/x/../mcp": "localhost:8101/mcp",
		"http://localhost.:8101/mcp": "localhost:8101/mcp",
		"http://10.0.0.8/mcp":        "10.0.0.8:80/mcp", "https://10.0.0.8": "10.0.0.8:443/",
		"http://10.0.0.8:8101/": "10.0.0.8:8101/",
	} {
		if got := location.Of(endpoint, nil, here); got != want {
			t.Errorf("%s: got %s, want %s", endpoint, got, want)
		}
	}
	if got := location.Of("http://fox.local:1/mcp", []string{"10.0.0.9", "10.0.0.8"}, here); got != "10.0.0.8:1/mcp" {
		t.Errorf("a name: got %s", got)
	}
	if got := location.Of("http://me.local:1/mcp", []string{"10.0.0.9", "10.0.0.7"}, here); got != "localhost:1/mcp" {
		t.Errorf("a name of this machine: got %s", got)
	}
}

func TestWantedIDIsGrantedWhenFreeAndWellFormed(t *testing.T) {
	for wanted, want := range map[string]string{
		"P07": "P07", "P12345": "P12345", "P100": "P100",
		"": "P03", "P01": "P03", "P1": "P03", "P00": "P03", "P007": "P03", "P123456": "P03", "p07": "P03", "REF07": "P03",
		"alice": "P03", "P07\n": "P03", "P٠٧": "P03",
	} {
		s := newSeason(t, Created{})
		s.join(1, 2)
		ap := applicant(protocol.RolePlayer, "newcomer")
		ap.Wanted = wanted
		if yes := Admit(s.state, ap, roomy).Yes; yes.ID != want {
			t.Errorf("%q: got %s, want %s", wanted, yes.ID, want)
		}
	}
}

func TestLowestFreeIDIsGranted(t *testing.T) {
	s := newSeason(t, Created{})
	for i, c := range []struct{ wanted, want string }{
		{"", "P01"}, {"P03", "P03"}, {"", "P02"}, {"", "P04"}, {"P06", "P06"}, {"P05", "P05"}, {"", "P07"},
	} {
		ap := applicant(protocol.RolePlayer, fmt.Sprint("player ", i))
		ap.Wanted = c.wanted
		yes := Admit(s.state, ap, roomy).Yes
		if yes.ID != c.want {
			t.Errorf("agent %d: got %s, want %s", i, yes.ID, c.want)
		}
		s.write(*yes)
	}
	if got := s.register(protocol.RoleReferee, "referee").ID; got != "REF01" {
		t.Errorf("the first referee is %s", got)
	}
}

func TestNonceIsGivenOnce(t *testing.T) {
	s := newSeason(t, Created{})
	for _, nonce := range []string{"first", "second", ""} {
		ap := applicant(protocol.RolePlayer, "player")
		ap.Meta.Nonce = nonce
		s.write(*Admit(s.state, ap, roomy).Yes)
		if got := s.state.Agents["P01"].Nonce; got != "first" {
			t.Errorf("after %q: got the nonce %q, want the first", nonce, got)
		}
	}
}
