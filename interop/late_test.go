package interop_test

import (
	"testing"
	"time"

	"agentleague/format"
	"agentleague/interop/foreign"
	"agentleague/league"
	"agentleague/league/manager"
)

// TestForeignPlayersJoinASwissLeagueLate plays a Swiss league of players with very different dialects. The last ones
// register after the start: they play from the next round on, and no player forfeits.
func TestForeignPlayersJoinASwissLeagueLate(t *testing.T) {
	t.Parallel()
	kinds := essential()
	first, late := kinds[:len(kinds)-3], kinds[len(kinds)-3:]
	h := newTestLeague(t, manager.Options{
		StartPlayers: 1 + len(first), StartReferees: 2, Pace: time.Second,
		Schedule: format.Settings{Format: "swiss", Rounds: 6, Late: format.Late{Until: 5, Missed: "half"}},
	}, 2)
	h.seatOurs("Ours")
	guests := map[string]*foreign.Player{}
	for _, kind := range first {
		guests[kind.Name] = h.seat(t.Context(), kind)
	}
	if !h.await("the league has started", (*league.State).Started) {
		return
	}
	if err := h.manager.Orders.Pause(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	for _, kind := range late {
		guests[kind.Name] = h.seat(t.Context(), kind)
	}
	if err := h.manager.Orders.Resume(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	if t.Failed() || !h.await("the league is over", completed) {
		return
	}
	for _, line := range h.forfeits() {
		t.Error(line)
	}
	h.manager.Read(func(s *league.State) {
		if got := len(s.Players()); got != 1+len(kinds) {
			t.Errorf("%d players, want %d", got, 1+len(kinds))
		}
		for _, id := range s.Players() {
			if guest := guests[s.Agents[id].Name]; guest != nil && guest.Completed() != len(s.MatchesOf(id)) {
				t.Errorf("%s heard the end of %d of %d matches", guest.Name, guest.Completed(), len(s.MatchesOf(id)))
			}
			if len(s.MatchesOf(id)) == 0 {
				t.Errorf("%s has no match", id)
			}
		}
	})
}
