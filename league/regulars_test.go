package league

import (
	"testing"

	"agentleague/protocol"
)

// endedSeason is a league with three players: one withdrawn, one suspended and one active.
func endedSeason(t *testing.T) *season {
	t.Helper()
	s := newSeason(t, Created{})
	s.join(1, 3)
	s.write(Withdrawn{ID: "P01"}, AgentState{"P02", protocol.AgentSuspended, "it did not answer"})
	return s
}

func TestRegularsAreWaitedForIfTheyWereInGoodOrder(t *testing.T) {
	r := RegularsOf(endedSeason(t).state)
	if len(r.All) != 3 || r.Count(protocol.RolePlayer) != 1 || r.Count(protocol.RoleReferee) != 1 {
		t.Errorf("got %+v, want a referee and two players, one of them waited for", r)
	}
	next := newSeason(t, Created{})
	next.register(protocol.RolePlayer, "player 9")
	next.register(protocol.RolePlayer, "player 3")
	if r.Back(next.state) {
		t.Error("all are back although the referee is not")
	}
	next.register(protocol.RoleReferee, "referee 1")
	if !r.Back(next.state) {
		t.Error("not all are back, want those who were in good order")
	}
	if none := (Regulars{}); none.Any() || !none.Back(next.state) {
		t.Error("a first season waits for somebody")
	}
}

func TestRegularsNeedNoInvitationAndKeepTheirNames(t *testing.T) {
	l := roomy
	l.InvitedOnly, l.Regulars = true, RegularsOf(endedSeason(t).state)
	for _, c := range []struct {
		name string
		ap   Application
		want *protocol.Kind // nil: offered a place
	}{
		{"back with its key", native(applicant(protocol.RolePlayer, "player 3")), nil},
		{"suspended, with its key", native(applicant(protocol.RolePlayer, "player 2")), nil},
		{"withdrawn, with its key", native(applicant(protocol.RolePlayer, "player 1")), protocol.RegistrationClosed},
		{"its name, without its key", applicant(protocol.RolePlayer, "player 3"), protocol.DuplicateName},
		{"new", native(applicant(protocol.RolePlayer, "player 9")), protocol.RegistrationClosed},
	} {
		d := Admit(newSeason(t, Created{}).state, c.ap, l)
		switch {
		case c.want == nil && d.Offer == nil:
			t.Errorf("%s: got %+v, want a place", c.name, d.No)
		case c.want != nil && (d.No == nil || d.No.Kind != c.want):
			t.Errorf("%s: got %+v, want %s", c.name, d, c.want.Name)
		}
	}
}

func TestNamesAreKeptUntilTheSeasonStarts(t *testing.T) {
	l := roomy
	l.Regulars = RegularsOf(endedSeason(t).state)
	next := newSeason(t, Created{})
	next.join(1, 2)
	next.write(StartWith(next.state, everybodyReached)...)
	if l.Regulars.reservesName(native(applicant(protocol.RoleReferee, "referee 1"))) {
		t.Error("the name of a referee is kept from itself")
	}
	other := applicant(protocol.RolePlayer, "player 3")
	if d := Admit(next.state, other, l); d.No == nil || d.No.Kind != protocol.RegistrationClosed {
		t.Errorf("after the start: got %+v, want that registration is closed", d.No)
	}
}
