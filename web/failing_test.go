package web

import (
	"net/http"
	"strings"
	"testing"

	"agentleague/league"
	"agentleague/protocol"
)

// A player that lost its newest match by forfeit needs attention, with the cause without its address.
func TestTheOrganizerSeesFailingAgentsWithTheirCause(t *testing.T) {
	t.Parallel()
	m := asSeason(openForfeit(t).m)
	agents, got := agentsOf(m, true), []failing{}
	m.Read(func(s *league.State) { got = failingOf(s, agents, true) })
	if len(got) != 1 || got[0].ID != "P01" || got[0].Fix != "check" || !strings.Contains(got[0].Cause, "no answer") || strings.Contains(got[0].Cause, "127.0.0.1") {
		t.Errorf("got %+v", got)
	}
}

// A player that is out can be taken back, one that fails can be checked; agents in good order are not listed.
func TestFailingAgentsHaveAnOrderThatHelps(t *testing.T) {
	t.Parallel()
	s := league.NewState()
	list := agentsView{Players: []agentView{
		{NameView: NameView{ID: "P01"}, Role: protocol.RolePlayer, State: protocol.AgentShutdown, Why: "withdrawn"},
		{NameView: NameView{ID: "P02"}, Role: protocol.RolePlayer, State: protocol.AgentActive, Trouble: "connection refused"},
		{NameView: NameView{ID: "P03"}, Role: protocol.RolePlayer, State: protocol.AgentActive},
	}, Referees: []agentView{{NameView: NameView{ID: "REF01"}, Role: protocol.RoleReferee, State: protocol.AgentSuspended}}}
	var got []string
	for _, f := range failingOf(s, list, true) {
		got = append(got, f.ID+" "+f.Fix+": "+f.Cause)
	}
	want := "REF01 : its state is suspended, P01 readmit: withdrawn, P02 check: connection refused"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q", strings.Join(got, ", "), want)
	}
}

// Invitations that are made with the form are shown once, with a QR code for each, and not stored by the browser.
func TestInvitationsArePrintedOnce(t *testing.T) {
	t.Parallel()
	v := openFakeLeague(t, "even_odd", 0).caller(t, nil)
	if w := v.do(http.MethodPost, "/leagues/fake/invite", "role=player&names=Ada"); w.Code == http.StatusOK {
		t.Errorf("a visitor got status %d", w.Code)
	}
	v.login()
	w := v.do(http.MethodPost, "/leagues/fake/invite", "role=player&names=Ada%0AGrace+Hopper%0A%0A")
	text := w.Body.String()
	if w.Code != http.StatusOK || w.Header().Get("Cache-Control") != "no-store" || strings.Count(text, "QR code of ") != 2 || !strings.Contains(text, "Grace Hopper") {
		t.Errorf("got status %d, %q and %d codes", w.Code, w.Header().Get("Cache-Control"), strings.Count(text, "QR code of "))
	}
}
