package interop_test

import (
	"fmt"
	"slices"
	"testing"

	"agentleague/interop/foreign"
	"agentleague/league/manager"
)

// TestForeignRefereesPlayOurLeague drives referees of every kind in one league, each in the one way in which it can be
// driven.
func TestForeignRefereesPlayOurLeague(t *testing.T) {
	t.Parallel()
	kinds := slices.DeleteFunc(foreign.RefereeKinds(), func(kind foreign.RefereeKind) bool {
		return kind.Nameless // without a match id, such a report is ambiguous
	})
	playUnder(t, 2+2*len(kinds), 1, kinds...)
}

// TestLongForeignRefereesPlayOurLeagueAlone does so with each kind by itself.
func TestLongForeignRefereesPlayOurLeagueAlone(t *testing.T) {
	t.Parallel()
	kinds := foreign.RefereeKinds()
	name := func(kind foreign.RefereeKind) string { return kind.Name }
	together(t, kinds, len(kinds), name, func(t *testing.T, kind foreign.RefereeKind) { playUnder(t, 4, 3, kind) })
}

// playUnder plays some rounds between players of ours under foreign referees.
func playUnder(t *testing.T, players, rounds int, kinds ...foreign.RefereeKind) {
	h := newTestLeague(t, manager.Options{StartPlayers: players, StartReferees: len(kinds), Rounds: rounds}, 0)
	var referees []*foreign.Referee
	for _, kind := range kinds {
		r, err := foreign.NewReferee(kind)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(r.Close)
		if err := r.Register(t.Context(), h.url); err != nil {
			t.Fatal(err)
		}
		referees = append(referees, r)
	}
	for n := range players {
		h.seatOurs(fmt.Sprintf("Agent %d", n+1))
	}
	h.await("the league is over", completed)
	for _, line := range h.forfeits() {
		t.Error(line)
	}
	played := 0
	for _, r := range referees {
		for _, failure := range r.Failures() {
			t.Errorf("%s: %s", r.Name, failure)
		}
		for match, n := range r.Starts() {
			played++
			if n > 1 && r.Start == foreign.StartAnnounced {
				t.Errorf("%s: %s was announced %d times, and so played", r.Name, match, n)
			}
		}
	}
	if want := rounds * players / 2; played != want {
		t.Errorf("the foreign referees played %d matches, want %d", played, want)
	}
}
