package server

import (
	"strings"
	"testing"

	"agentleague/seat"
	"agentleague/store"
)

// The fallback of a seat can play the game of its league, and runs nothing on the manager's machine.
func TestTheFallbackOfASeatCanPlayItsGame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ fallback, game, want string }{
		{"", "memory", ""}, {"recall", "memory", ""}, {"alternate", "even_odd", ""}, {"recall", "", ""},
		{"recall", "even_odd", "fallback: the strategy recall cannot play even_odd; it plays memory"},
		{"exec:sh", "even_odd", "fallback: the strategy exec can only be named by whoever starts the player"},
		{"genius", "even_odd", `fallback: unknown strategy "genius"`},
	} {
		_, err := NewSeat(seat.NewSaved("Dana", c.fallback), store.SeatRepository{}, "spring", c.game)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q in %q: got %v, want %q", c.fallback, c.game, err, c.want)
		}
	}
}
