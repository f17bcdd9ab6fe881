package league

import (
	"fmt"
	"testing"

	"agentleague/protocol"
)

func TestRefusalsOfNewcomers(t *testing.T) {
	over := func(s *season) {
		s.write(startWith(s.state, everybodyReached)...)
		s.write(openNext(s.state)...)
		_, _ = s.report("REF01", "R1M1", 1, protocol.ReportedResult{})
	}
	started := func(s *season) { s.write(startWith(s.state, everybodyReached)...) }
	for _, c := range []struct {
		name    string
		role    protocol.Role
		change  func(ap *application, l *limits)
		do      func(s *season)
		want    *protocol.Kind // nil: accepted
		numeric int
	}{
		{"player", protocol.RolePlayer, nil, nil, nil, 0},
		{"referee", protocol.RoleReferee, nil, nil, nil, 0},
		{"old version", protocol.RolePlayer, func(ap *application, _ *limits) { ap.meta.ProtocolVersion = "1.0" }, nil, protocol.VersionMismatch, -32602},
		{"other game", protocol.RolePlayer, func(ap *application, _ *limits) { ap.meta.GameTypes = []string{"chess"} }, nil, protocol.UnsupportedGame, 2004},
		{"other game, referee", protocol.RoleReferee, func(ap *application, _ *limits) { ap.meta.GameTypes = []string{"chess"} }, nil, protocol.UnsupportedGame, 1003},
		{"several games", protocol.RolePlayer, func(ap *application, _ *limits) { ap.meta.GameTypes = []string{"chess", "even_odd"} }, nil, nil, 0},
		{"window closed", protocol.RolePlayer, func(_ *application, l *limits) { l.closed = true }, nil, protocol.RegistrationClosed, 2001},
		{"window closed, referee", protocol.RoleReferee, func(_ *application, l *limits) { l.closed = true }, nil, nil, 0},
		{"started", protocol.RolePlayer, nil, started, protocol.RegistrationClosed, 2001},
		{"started, referee", protocol.RoleReferee, nil, started, nil, 0},
		{"over", protocol.RolePlayer, nil, over, protocol.RegistrationClosed, 2001},
		{"over, referee", protocol.RoleReferee, nil, over, protocol.RegistrationClosed, 1001},
		{"full", protocol.RolePlayer, func(_ *application, l *limits) { l.maxPlayers = 2 }, nil, protocol.LeagueFull, 2001},
		{"full of players only", protocol.RoleReferee, func(_ *application, l *limits) { l.maxPlayers = 2 }, nil, nil, 0},
		{"full of referees", protocol.RoleReferee, func(_ *application, l *limits) { l.maxReferees = 1 }, nil, protocol.LeagueFull, 1001},
		{"name taken", protocol.RolePlayer, func(ap *application, _ *limits) {
			ap.meta.DisplayName, ap.asked, ap.alive = "player 1", "http://localhost:1/player-1", true
		}, nil, protocol.DuplicateName, 2002},
		{"name of a referee", protocol.RolePlayer, func(ap *application, _ *limits) { ap.meta.DisplayName = "referee 1" }, nil, nil, 0},
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
		yes, no := admit(s.state, ap, l)
		switch {
		case c.want == nil && (yes == nil || no != nil):
			t.Errorf("%s: refused: %+v", c.name, no)
		case c.want != nil && (yes != nil || no == nil || no.kind != c.want || no.reason == ""):
			t.Errorf("%s: got %+v, %+v, want %s", c.name, yes, no, c.want.Name)
		case c.want != nil:
			m := &Manager{}
			a := m.rejected(c.role, no)
			if a.Status != protocol.Rejected || a.ErrorCode != c.want.Code || a.ErrorName != c.want.Name || a.Code != c.numeric || a.AuthToken != nil || a.LeagueID != nil {
				t.Errorf("%s: got %+v, want the code %d", c.name, a, c.numeric)
			}
		}
	}
}

func TestWhoComesBackIsKnown(t *testing.T) {
	const old, other = "http://localhost:1/player-1", "http://localhost:2/elsewhere"
	type grant struct {
		id         string
		generation int
	}
	for _, c := range []struct {
		name   string
		change func(ap *application)
		want   grant // none: refused
	}{
		{"with its token", func(ap *application) { ap.holder, ap.generation = "P01", 1 }, grant{"P01", 1}},
		{"with its token, elsewhere", func(ap *application) { ap.holder, ap.generation, ap.meta.ContactEndpoint = "P01", 1, other }, grant{"P01", 1}},
		{"with its token, renamed", func(ap *application) { ap.holder, ap.generation, ap.meta.DisplayName = "P01", 1, "new" }, grant{"P01", 1}},
		{"with an older token", func(ap *application) { ap.holder, ap.generation = "P02", 1 }, grant{"P02", 1}},
		{"by its name, where it was", func(ap *application) { ap.conversation = "another" }, grant{"P01", 2}},
		{"the same request again", func(ap *application) {}, grant{"P01", 1}},
		{"by its name, the old one dead", func(ap *application) { ap.meta.ContactEndpoint, ap.asked, ap.conversation = other, old, "another" }, grant{"P01", 2}},
		{"the old one alive", func(ap *application) { ap.meta.ContactEndpoint, ap.asked, ap.alive = other, old, true }, grant{}},
		{"the old one never asked", func(ap *application) { ap.meta.ContactEndpoint = other }, grant{}},
		{"somebody else was asked", func(ap *application) { ap.meta.ContactEndpoint, ap.asked = other, "http://localhost:9/" }, grant{}},
		{"with the token of a referee", func(ap *application) {
			ap.holder, ap.generation, ap.meta.DisplayName, ap.meta.ContactEndpoint = "REF01", 1, "new", other
		}, grant{"P04", 1}},
	} {
		s := newSeason(t, Created{})
		s.join(1, 3)
		s.write(Registered{Role: protocol.RolePlayer, ID: "P02", Name: "player 2", Generation: 5})
		ap := applicant(protocol.RolePlayer, "player 1")
		c.change(&ap)
		yes, no := admit(s.state, ap, limits{maxPlayers: 4, maxReferees: 1})
		switch {
		case c.want.id == "" && (no == nil || no.kind != protocol.DuplicateName):
			t.Errorf("%s: got %+v, %+v, want E022", c.name, yes, no)
		case c.want.id != "" && (yes == nil || grant{yes.ID, yes.Generation} != c.want):
			t.Errorf("%s: got %+v, %+v, want %v", c.name, yes, no, c.want)
		}
	}
}

func TestComingBackIsPossibleWhenNothingElseIs(t *testing.T) {
	s := newSeason(t, Created{})
	s.join(1, 2)
	s.write(startWith(s.state, everybodyReached)...)
	for _, withToken := range []bool{true, false} {
		ap := applicant(protocol.RolePlayer, "player 1")
		if withToken {
			ap.holder, ap.generation = "P01", 1
		}
		if yes, no := admit(s.state, ap, limits{closed: true}); yes == nil || yes.ID != "P01" {
			t.Errorf("token %v: got %+v, want P01 again", withToken, no)
		}
		ap.meta.ProtocolVersion = "3.0"
		if _, no := admit(s.state, ap, roomy); no == nil || no.kind != protocol.VersionMismatch {
			t.Errorf("token %v: a player that changed its version is not refused", withToken)
		}
	}
}

func TestTokenDoesNotTakeAnothersName(t *testing.T) {
	s := newSeason(t, Created{})
	s.join(0, 2)
	ap := applicant(protocol.RolePlayer, "player 2")
	ap.holder, ap.generation = "P01", 1
	yes, no := admit(s.state, ap, roomy)
	if no != nil || yes.ID != "P01" || yes.Name != "player 1" {
		t.Fatalf("got %+v, %+v, want P01 under its own name", yes, no)
	}
	s.write(*yes)
	if got := s.state.named(protocol.RolePlayer, "player 2"); got.ID != "P02" {
		t.Errorf("the name of P02 belongs to %s", got.ID)
	}
}

func TestOldNameIsFreeAfterARenaming(t *testing.T) {
	s := newSeason(t, Created{})
	s.join(0, 1)
	ap := applicant(protocol.RolePlayer, "renamed")
	ap.holder, ap.generation = "P01", 1
	yes, _ := admit(s.state, ap, roomy)
	s.write(*yes)
	if got := s.register(protocol.RolePlayer, "player 1"); got.ID != "P02" {
		t.Errorf("a newcomer under the old name is %s, want P02", got.ID)
	}
}

func TestEndpointIsAskedOnlyWhenItMatters(t *testing.T) {
	s := newSeason(t, Created{})
	s.join(0, 1)
	const old, other = "http://localhost:1/player-1", "http://localhost:2/elsewhere"
	for _, c := range []struct {
		name   string
		change func(ap *application)
		want   string
	}{
		{"same name elsewhere", func(ap *application) { ap.meta.ContactEndpoint = other }, old},
		{"asked already", func(ap *application) { ap.meta.ContactEndpoint, ap.asked = other, old }, ""},
		{"asked where it was before", func(ap *application) { ap.meta.ContactEndpoint, ap.asked = other, "http://localhost:7/" }, old},
		{"same place", func(ap *application) {}, ""},
		{"another name", func(ap *application) { ap.meta.DisplayName, ap.meta.ContactEndpoint = "new", other }, ""},
		{"with a token", func(ap *application) { ap.holder, ap.meta.ContactEndpoint = "P01", other }, ""},
	} {
		ap := applicant(protocol.RolePlayer, "player 1")
		c.change(&ap)
		if got, ok := ap.mustAsk(s.state); got != c.want || ok != (c.want != "") {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, ok, c.want)
		}
	}
}

func TestWantedIDIsGrantedWhenFreeAndWellFormed(t *testing.T) {
	for wanted, want := range map[string]string{
		"P07": "P07", "P12345": "P12345", "P100": "P100",
		"": "P03", "P01": "P03", "P1": "P03", "P00": "P03", "P007": "P03", "P123456": "P03", "p07": "P03", "REF07": "P03", "alice": "P03", "P07\n": "P03", "P٠٧": "P03",
	} {
		s := newSeason(t, Created{})
		s.join(1, 2)
		ap := applicant(protocol.RolePlayer, "newcomer")
		ap.wanted = wanted
		if yes, _ := admit(s.state, ap, roomy); yes.ID != want {
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
		ap.wanted = c.wanted
		yes, _ := admit(s.state, ap, roomy)
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
		ap.meta.Nonce = nonce
		yes, _ := admit(s.state, ap, roomy)
		s.write(*yes)
		if got := s.state.Agents["P01"].Nonce; got != "first" {
			t.Errorf("after %q: got the nonce %q, want the first", nonce, got)
		}
	}
}
