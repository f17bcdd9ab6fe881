//go:build !windows

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"agentleague/rpc/rpctest"
	"agentleague/seat"
)

// Two clients may play from one seat. Both are asked, and the first move counts.
func TestTwoClientsShareASeat(t *testing.T) {
	t.Parallel()
	l := newSeatLeague(t, "30", 1, 1)
	one, two := overHTTP(t, l.url, "", "", nil), overHTTP(t, l.url, "", "2025-03-26", nil)
	one.key = one.call("take_seat", map[string]any{"name": "Dana"}).Key
	two.key = one.key
	var turns [2]*seat.Turn
	var both sync.WaitGroup
	for i, g := range []*guest{one, two} {
		both.Go(func() { turns[i] = g.turn() })
	}
	both.Wait()
	if turns[0].TurnID != turns[1].TurnID {
		t.Fatalf("asked for %s and %s, want the same turn", turns[0].TurnID, turns[1].TurnID)
	}
	one.call("make_move", map[string]any{"turn_id": turns[0].TurnID, "move": "even"})
	two.refused("make_move", map[string]any{"turn_id": turns[0].TurnID, "move": "odd"}, "already played", `"even"`, "first move counts")
	over := one.toTheEnd(map[string]any{}, func(*seat.Turn) { t.Error("asked again") })
	if n := over.news["match_over"]; len(n) != 1 || !strings.Contains(n[0].Text, `you played "even"`) {
		t.Errorf("news %v, want a match played with even", over.news)
	}
}

// A player that leaves before the start is removed from the league; afterwards the fallback plays, and the player can
// return.
func TestLongLeavingASeatAndComingBack(t *testing.T) {
	t.Parallel()
	l := newSeatLeague(t, "30", 1, 2)
	g := overHTTP(t, l.url, "", "", nil)
	g.key = g.call("take_seat", map[string]any{"name": "Early"}).Key
	if r := g.call("leave_seat", map[string]any{}); r.Status != seat.Left || !strings.Contains(r.Next, "out of the league") {
		t.Errorf("leave_seat before the start = %+v", r)
	}
	g.refused("wait_for_turn", map[string]any{}, "no seat here has that key")
	g.key = ""
	g.key = g.call("take_seat", map[string]any{"name": "Dana"}).Key
	h := overHTTP(t, l.url, "", "", nil)
	h.key = h.call("take_seat", map[string]any{"name": "Noa"}).Key
	var both sync.WaitGroup
	both.Go(func() { // meets two, and leaves in its first match
		g.turn()
		if r := g.call("leave_seat", map[string]any{}); r.Status != seat.Left || !strings.Contains(r.Next, "random plays") {
			t.Errorf("leave_seat after the start = %+v", r)
		}
		back := g.toTheEnd(map[string]any{}, func(*seat.Turn) { g.call("make_move", map[string]any{"move": "odd"}) })
		if back.turns != 1 || len(back.news["fallback_played"]) != 1 || len(back.news["match_over"]) != 2 {
			t.Errorf("who left in one match and came back has %d turns and %v; want 1, and 1 of the fallback", back.turns, back.news)
		}
	})
	both.Go(func() {
		h.toTheEnd(map[string]any{}, func(*seat.Turn) { h.call("make_move", map[string]any{"move": "odd"}) })
	})
	both.Wait()
}

// A seat of a manager is there again when the manager is: its owner has the key, and goes on.
func TestASeatOutlivesItsManager(t *testing.T) {
	t.Parallel()
	port := lastingPort()
	l := newSeatLeague(t, "30", 1, 1, "--port", port)
	g := overHTTP(t, l.url, "", "", nil)
	taken := g.call("take_seat", map[string]any{"name": "Dana", "fallback": "history"})
	g.key = taken.Key
	turn := g.turn()
	kept, err := filepath.Glob(filepath.Join(l.root, "data", "seats", "*", "*.json"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept %v, %v; want one seat", kept, err)
	}
	if info, err := os.Stat(kept[0]); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%s has mode %v, %v; want it for its owner alone", kept[0], info.Mode(), err)
	}
	l.manager.signal(os.Kill)
	<-l.manager.exited
	again := start(t, "manager", "--port", port, "--root", l.root, "--start-when", "players=2,referees=1")
	if at := again.endpoint(); at != l.url {
		t.Fatalf("the manager is at %s now, want %s", at, l.url)
	}
	back := overHTTP(t, l.url, taken.Key, "", nil)
	s := back.toTheEnd(map[string]any{}, func(now *seat.Turn) {
		if now.TurnID != turn.TurnID {
			t.Errorf("asked for %s, want %s again", now.TurnID, turn.TurnID)
		}
		back.call("make_move", map[string]any{"turn_id": turn.TurnID, "move": "even"})
	})
	if s.last.PlayerID != taken.PlayerID || s.turns != 1 || len(s.news["match_over"]) != 1 || s.news["match_over"][0].Result == "TECHNICAL_LOSS" {
		t.Errorf("after the restart %+v, %v; want %s to have played its match", s.last, s.news, taken.PlayerID)
	}
	again.signal(os.Kill)
	<-again.exited
	start(t, "manager", "--port", port, "--root", l.root).endpoint()
	late := overHTTP(t, l.url, taken.Key, "", nil)
	if r := late.call("wait_for_turn", map[string]any{}); r.Status != seat.LeagueOver || r.Standing == nil || r.Standing.Played != 1 {
		t.Errorf("after a restart of a finished league %+v, want its end and the row of the table", r)
	}
}

// A seat's own process is killed in the middle of a turn and started again: the same player is asked the same again.
func TestASeatsProcessIsKilledAndComesBack(t *testing.T) {
	t.Parallel()
	l := newSeatLeague(t, "30", 1, 1)
	root := t.TempDir()
	sit := func() (*process, *guest, string) {
		p := start(t, "seat", "--port", "0", "--json", "--name", "Dana", "--manager", l.url, "--root", root)
		var at struct{ Endpoint, Key, ID string }
		rpctest.Eventually(t, "the seat's address", func() bool { return json.Unmarshal([]byte(p.out.String()), &at) == nil })
		return p, overHTTP(t, at.Endpoint, at.Key, "", nil), at.ID + " " + at.Key
	}
	p, g, before := sit()
	turn := g.turn()
	p.signal(os.Kill)
	<-p.exited
	p, g, after := sit()
	if before != after {
		t.Errorf("came back as %s, want %s", after, before)
	}
	s := g.toTheEnd(map[string]any{}, func(now *seat.Turn) {
		if !strings.HasPrefix(now.TurnID, turn.MatchID+"-turn1") {
			t.Errorf("asked for %s, want %s again", now.TurnID, turn.TurnID)
		}
		g.call("make_move", map[string]any{"turn_id": now.TurnID, "move": "odd"})
	})
	if over := s.news["match_over"]; len(over) != 1 || !strings.Contains(over[0].Text, `you played "odd"`) {
		t.Errorf("news %v, want one match played with odd", s.news)
	}
	p.signal(os.Interrupt)
	if p.status() != 0 {
		t.Errorf("an interrupt ends the seat with status %d, want 0: %s", p.status(), p.errs.String())
	}
}

// Every league of a manager has seats; the address of the client selects the league. A completed league is reported
// after a restart.
func TestASeatInAnotherLeague(t *testing.T) {
	t.Parallel()
	root, port := t.TempDir(), lastingPort()
	manager := start(t, "manager", "--port", port, "--root", root, "--start-after", "1h")
	first := manager.endpoint()
	var cup struct{ Endpoint string }
	once(t, &cup, "create", "cup", "--manager", first, "--root", root, "--players", "2", "--referees", "1", "--bots", "random")
	g := overHTTP(t, cup.Endpoint, "", "", nil)
	taken := g.call("take_seat", map[string]any{"name": "Dana"})
	if g.key = taken.Key; taken.LeagueID != "cup" {
		t.Errorf("taken %+v, want a seat in the cup", taken)
	}
	other := overHTTP(t, first, "", "", nil)
	if r := other.call("take_seat", map[string]any{"name": "Dana"}); r.LeagueID != "league_2025_even_odd" {
		t.Errorf("taken %+v, want a seat in the first league", r)
	}
	s := g.toTheEnd(map[string]any{}, func(turn *seat.Turn) { g.call("make_move", map[string]any{"turn_id": turn.TurnID, "move": "even"}) })
	if s.turns != 1 || s.last.Standing == nil || s.last.Standing.Played != 1 {
		t.Errorf("%d turns, %+v; want the one match of the cup", s.turns, s.last)
	}
	manager.signal(os.Kill)
	<-manager.exited
	start(t, "manager", "--port", port, "--root", root, "--start-after", "1h").endpoint()
	late := overHTTP(t, cup.Endpoint, taken.Key, "", nil)
	if r := late.call("wait_for_turn", map[string]any{}); r.Status != seat.LeagueOver || r.LeagueID != "cup" || r.Standing == nil {
		t.Errorf("after a restart %+v, want the end of the cup", r)
	}
}
