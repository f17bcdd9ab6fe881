package interop_test

import (
	"context"
	"strings"
	"testing"

	"agentleague/interop/foreign"
	"agentleague/interop/foreign/mcpserver"
)

// newGuest serves a foreign persona until the test ends.
func newGuest(t testing.TB, p foreign.Persona) *foreign.Player {
	t.Helper()
	serve := foreign.NewPlayer
	if p.Framing == foreign.FramingMCP {
		serve = mcpserver.NewPlayer
	}
	guest, err := serve(p)
	if err != nil {
		t.Fatalf("%+v: %v", p, err)
	}
	t.Cleanup(guest.Close)
	return guest
}

// seat registers a foreign player with the league.
func (h *testLeague) seat(ctx context.Context, p foreign.Persona) *foreign.Player {
	h.t.Helper()
	guest := newGuest(h.t, p)
	h.t.Cleanup(h.close) // before the guest's own port is free for another
	if err := guest.Register(ctx, h.url); err != nil {
		h.t.Errorf("%+v: %v", p, err)
	}
	return guest
}

// untaken lists a guest's choices by callback that were refused. Joins are excluded: the direct answer "joined" may
// have counted before the GAME_JOIN_ACK came, and a missing join shows as a forfeit.
func untaken(guest *foreign.Player) (out []string) {
	for _, what := range guest.UntakenCallbacks() {
		if !strings.HasPrefix(what, "GAME_JOIN_ACK") {
			out = append(out, what)
		}
	}
	return out
}
