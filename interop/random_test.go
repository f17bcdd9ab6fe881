package interop_test

import (
	"fmt"
	"os"
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

// TestLongAnyCompositionPlaysAndIsRemembered seats a random stranger against a
// player of ours. They play; manager and referee start again; they play again,
// and nobody has to guess any more how the stranger is spoken to.
func TestLongAnyCompositionPlaysAndIsRemembered(t *testing.T) {
	t.Parallel()
	seeds := make([]uint64, compositions())
	for i := range seeds {
		seeds[i] = uint64(i)
	}
	together(t, seeds, atOnce, func(seed uint64) string { return fmt.Sprint(seed) }, func(t *testing.T, seed uint64) {
		playTwice(t, foreign.Random(seed))
	})
}

func playTwice(t *testing.T, persona foreign.Persona) {
	h := newTestLeague(t, manager.Options{StartPlayers: 2, StartReferees: 1, Cycles: 2, MaxForfeits: -1, Pace: time.Hour},
		1)
	defer func() {
		if t.Failed() {
			t.Logf("the stranger: %+v", persona)
		}
	}()
	h.seatOurs("Ours")
	guest := h.seat(t.Context(), persona)
	if t.Failed() || !h.await("the first match is over", firstRoundTold) {
		return
	}
	h.close()
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
		if guess.Refused && known[guess.Kind] {
			t.Errorf("asked again how it is spoken to: %.160s", guess.Body)
		}
	}
	for _, kind := range []foreign.Kind{
		foreign.Invitation, foreign.Choice, foreign.Result, foreign.Round, foreign.Standings,
	} {
		if persona.Names[kind] != "" && !known[kind] {
			t.Errorf("%s did not arrive in the first round", kind)
		}
	}
}

// understood lists the kinds of messages that a guest has understood.
func understood(guest *foreign.Player) map[foreign.Kind]bool {
	known := map[foreign.Kind]bool{}
	for _, h := range guest.Heard() {
		known[h.Kind] = known[h.Kind] || !h.Refused
	}
	return known
}

// firstRoundTold reports whether the first round is over and everybody knows.
func firstRoundTold(s *league.State) bool {
	return s.Announced[league.Announced{What: "standings", Round: 1}] &&
		s.Announced[league.Announced{What: "completed", Round: 1}]
}
