package interop_test

import (
	"slices"
	"testing"

	"agentleague/interop/foreign"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/league/registration"
	"agentleague/protocol"
)

// TestForeignAgentsAreEnlisted plays a league whose players and referee do not register: they listen, and the operator
// enlists their endpoints. Some kinds cannot be enlisted: a player that answers by callback needs the address of its
// manager, and only the registration of F and P shows their form before the search ends.
func TestForeignAgentsAreEnlisted(t *testing.T) {
	t.Parallel()
	var kinds []foreign.Persona
	for _, kind := range append(foreign.Kinds(), foreign.MCPKind()) {
		if slices.Contains([]string{"A", "B", "C", "D", "E", "G", "nods", "capitals", foreign.MCPKind().Name}, kind.Name) {
			kinds = append(kinds, kind)
		}
	}
	h := newTestLeague(t, manager.Options{StartPlayers: 1 + len(kinds), StartReferees: 1}, 1)
	h.seatOurs("Ours")
	for _, kind := range kinds {
		guest := newGuest(t, kind)
		if got, err := h.manager.Registrar.Enlist(t.Context(), registration.Recruit{Role: protocol.RolePlayer,
			Endpoint: guest.Endpoint(), Name: kind.Name, By: "admin via page"}); err != nil || got.ID == "" {
			t.Fatalf("%s: %q, %v", kind.Name, got.ID, err)
		}
	}
	h.await("the league is over", completed)
	for _, line := range h.forfeits() {
		t.Error(line)
	}
	h.manager.Read(func(s *league.State) {
		if len(s.Players()) != 1+len(kinds) || len(s.Orders) != len(kinds) {
			t.Errorf("%d players and %d orders, want %d and one less", len(s.Players()), len(s.Orders), 1+len(kinds))
		}
	})
}

// TestForeignRefereeIsEnlisted has a referee that was never given a token
// believed by its address.
func TestForeignRefereeIsEnlisted(t *testing.T) {
	t.Parallel()
	for _, kind := range foreign.RefereeKinds() {
		if kind.Name != "Referee of a word" && kind.Name != "Referee that tells" {
			continue
		}
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			h := newTestLeague(t, manager.Options{StartPlayers: 3, StartReferees: 1}, 0)
			referee, err := foreign.NewReferee(kind)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(referee.Close)
			enlisted, err := h.manager.Registrar.Enlist(t.Context(), registration.Recruit{Role: protocol.RoleReferee,
				Endpoint: referee.Endpoint(), By: "admin via page"})
			if err != nil {
				t.Fatal(err)
			}
			id := enlisted.ID
			referee.Reports(id, h.url)
			for _, name := range []string{"Alpha", "Beta", "Gamma"} {
				h.seatOurs(name)
			}
			h.await("the league is over", completed)
			for _, line := range append(h.forfeits(), referee.Failures()...) {
				t.Error(line)
			}
		})
	}
}
