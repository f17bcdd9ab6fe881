package interop_test

import (
	"testing"

	"agentleague/interop/foreign"
	"agentleague/league/manager"
)

// TestPlayersThatAnswerInWordsPlayALeague plays a league of players that answer "Yes, I am ready to play." and "I
// choose EVEN this time, good luck!", and one of ours.
func TestPlayersThatAnswerInWordsPlayALeague(t *testing.T) {
	t.Parallel()
	kinds := foreign.WordyKinds()
	h := newTestLeague(t, manager.Options{StartPlayers: 1 + len(kinds), StartReferees: 1}, 1)
	h.seatOurs("Ours")
	var guests []*foreign.Player
	for _, kind := range kinds {
		guests = append(guests, h.seat(t.Context(), kind))
	}
	if t.Failed() || !h.await("the league is over", completed) {
		return
	}
	for _, line := range h.forfeits() {
		t.Error(line)
	}
	for _, guest := range guests {
		if got, want := guest.Completed(), len(kinds); got != want {
			t.Errorf("%s heard the end of %d matches, want %d", guest.Name, got, want)
		}
	}
}
