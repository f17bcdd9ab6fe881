package interop_test

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"agentleague/interop/foreign"
	"agentleague/league"
	"agentleague/league/manager"
)

// atOnce is how many random strangers play at a time.
const atOnce = 8

// compositions is how many play in all: 250, or 1,000 with LEAGUE_LONG=1.
func compositions() int {
	if os.Getenv("LEAGUE_LONG") != "" {
		return 1000
	}
	return 250
}

// TestLongAnyCompositionPlaysAndIsRemembered plays matches of a random foreign player against one of ours. Then manager
// and referee restart and the players play again, without another search for the dialect.
func TestLongAnyCompositionPlaysAndIsRemembered(t *testing.T) {
	t.Parallel()
	seeds := make([]uint64, compositions())
	for i := range seeds {
		seeds[i] = uint64(i)
	}
	var all figures
	together(t, seeds, atOnce, func(seed uint64) string { return fmt.Sprint(seed) }, func(t *testing.T, seed uint64) {
		playTwice(t, foreign.Random(seed), &all)
	})
	all.log(t)
}

// playTwice plays with a guest before and after a restart, and takes down how soon it understood.
func playTwice(t *testing.T, persona foreign.Persona, all *figures) {
	id := "league_of_" + strings.ToLower(rand.Text()) // a stray call of another league is no call of this one
	h := newTestLeague(t, manager.Options{
		LeagueID: id, StartPlayers: 2, StartReferees: 1, Cycles: 2, MaxForfeits: -1, Pace: time.Hour,
	}, 1)
	defer func() {
		if t.Failed() {
			t.Logf("the stranger: %+v", persona)
		}
	}()
	h.seatOurs("Ours")
	guest := h.seat(t.Context(), persona)
	told := func(s *league.State) bool { return firstRoundTold(s) && len(unheard(guest)) == 0 }
	if t.Failed() || !h.await("the first match is over and everything was heard", told) {
		t.Errorf("did not arrive in the first round: %v", unheard(guest))
		return
	}
	h.close()
	all.take(guest.Heard())
	before := len(guest.Heard())
	known := understood(guest)
	h.opts.Pace = 0
	h.open()
	if !h.await("the second match is over", completed) {
		return
	}
	for _, line := range h.forfeits() {
		t.Error(line)
	}
	for _, what := range untaken(guest) {
		t.Errorf("an answer by call was not taken: %s", what)
	}
	for _, guess := range guest.Heard()[before:] {
		if guess.Refused && known[guess.Kind] && !isStray(guess.Body, id) {
			t.Errorf("asked again how it is spoken to: %.160s", guess.Body)
		}
	}
}

// isStray reports whether a call is another league's, which had a player at the same port before.
func isStray(body, league string) bool {
	named := strings.Contains(body, `"league_id":"`) || strings.Contains(body, `"leagueId":"`)
	return named && !strings.Contains(body, league)
}

// unheard lists the kinds of messages that a guest supports and has not received.
func unheard(guest *foreign.Player) (kinds []foreign.Kind) {
	for _, kind := range tried {
		if guest.Names[kind] != "" && guest.Count(kind) == 0 {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// understood lists the kinds of messages that a guest has understood.
func understood(guest *foreign.Player) map[foreign.Kind]bool {
	known := map[foreign.Kind]bool{}
	for _, h := range guest.Heard() {
		known[h.Kind] = known[h.Kind] || !h.Refused
	}
	return known
}

// firstRoundTold reports whether the first round is over and announced to all agents.
func firstRoundTold(s *league.State) bool {
	return s.Announced[league.Announced{What: "standings", Round: 1}] &&
		s.Announced[league.Announced{What: "completed", Round: 1}]
}
