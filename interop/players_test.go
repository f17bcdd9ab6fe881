package interop_test

import (
	"sync"
	"testing"

	"agentleague/interop/foreign"
	"agentleague/league/manager"
)

// TestForeignPlayersPlayOurLeague plays one league of players with very different dialects and one of ours: all pairs
// meet, and no player forfeits because it was not understood.
func TestForeignPlayersPlayOurLeague(t *testing.T) {
	t.Parallel()
	playAmong(t, essential(), nil)
}

// TestLongForeignPlayersPlayOurLeague is the same with a player of every framing and habit, in three languages.
func TestLongForeignPlayersPlayOurLeague(t *testing.T) {
	t.Parallel()
	playAmong(t, append(foreign.Kinds(), foreign.MCPKind()), installed(t))
}

// essential are kinds that differ in how they are spoken to, how they answer, and how that is found out.
func essential() []foreign.Persona {
	return named("B", "C", "callback", "nods", "mixture", "MCP server", "tools for something else")
}

// playAmong plays a league of one of our players with players of some kinds and programs in other languages.
func playAmong(t *testing.T, kinds []foreign.Persona, programs []program) {
	t.Helper()
	h := newTestLeague(t, manager.Options{StartPlayers: 1 + len(kinds) + len(programs), StartReferees: 2}, 2)
	h.seatOurs("Ours")
	var guests []*foreign.Player
	for _, kind := range kinds {
		guests = append(guests, h.seat(t.Context(), kind))
	}
	startAll(t, programs, h.url)
	if t.Failed() {
		return
	}
	h.await("the league is over", completed)
	for _, line := range h.forfeits() {
		t.Error(line)
	}
	for _, guest := range guests {
		if got, want := guest.Completed(), len(kinds)+len(programs); got != want {
			t.Errorf("%s heard the end of %d matches, want %d", guest.Name, got, want)
		}
		for _, what := range untaken(guest) {
			t.Errorf("%s: an answer by call was not taken: %s", guest.Name, what)
		}
	}
}

// TestLongForeignPlayersMeetOursAlone is the same with a separate league for each kind, to show which one is not
// understood.
func TestLongForeignPlayersMeetOursAlone(t *testing.T) {
	t.Parallel()
	kinds := append(foreign.Kinds(), foreign.MCPKind())
	together(t, kinds, 8, func(p foreign.Persona) string { return p.Name }, func(t *testing.T, p foreign.Persona) {
		playTwice(t, p, &figures{})
	})
	together(t, installed(t), 4, program.name, func(t *testing.T, p program) {
		h := newTestLeague(t, manager.Options{StartPlayers: 2, StartReferees: 1, Cycles: 2}, 1)
		h.seatOurs("Ours")
		if _, err := p.start(t, h.url); err != nil {
			t.Fatal(err)
		}
		h.await("the league is over", completed)
		for _, line := range h.forfeits() {
			t.Error(line)
		}
	})
}

// startAll starts players in other languages, all at once.
func startAll(t *testing.T, programs []program, manager string) {
	var wg sync.WaitGroup
	for _, p := range programs {
		wg.Go(func() {
			if _, err := p.start(t, manager); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
