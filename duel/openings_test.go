package duel

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/game/draw"
)

// An opening follows from the key alone, leaves a game that goes on, and differs from key to key.
func TestOpeningsFollowFromTheKey(t *testing.T) {
	t.Parallel()
	for _, g := range catalog.All() {
		o, seen := UsualOpenings(g), map[string]bool{}
		_, open := g.(game.Resumer)
		if open != (o.Moves > 0) {
			t.Errorf("%s: %d moves; only games in which both see everything have openings", g.Info().Type, o.Moves)
		}
		for n := range 100 {
			key := fmt.Appendf(nil, "key %d", n)
			state, moves, err := o.start(g, draw.New(key))
			again, same, _ := o.start(g, draw.New(key))
			if err != nil || len(moves) != o.Moves || fmt.Sprint(moves) != fmt.Sprint(same) || state.View(0).Text() != again.View(0).Text() {
				t.Fatalf("%s: %s and %s, %v; want the same %d moves", g.Info().Type, moves, same, err, o.Moves)
			}
			if _, over := state.Outcome(); over {
				t.Fatalf("%s: %s ends the game", g.Info().Type, moves)
			}
			text, _ := json.Marshal(moves)
			seen[string(text)] = true
		}
		if open && len(seen) < 40 {
			t.Errorf("%s: %d different openings of 100", g.Info().Type, len(seen))
		}
	}
}

func TestOpeningsOfAFileAreChecked(t *testing.T) {
	t.Parallel()
	g, err := catalog.Lookup("tic_tac_toe")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"[4]\n[0, 8]\n[]":   "",
		"":                  "there is no opening in it",
		"4":                 "opening 1: want an array of moves, such as [3, 3, 4]: ",
		"[4]\n[4, 4]":       "opening 2: move 2: ",
		"[0, 3, 1, 4, 2]":   "opening 1: the game is over after it",
		"[0, 3, 1, 4, 2,5]": "opening 1: move 6: no single player is to move",
	} {
		switch o, err := ReadOpenings(strings.NewReader(text), g); {
		case want == "" && (err != nil || len(o.Lines) != 3):
			t.Errorf("%q: %v, %v", text, o, err)
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)):
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Two players that leave nothing to chance play different games, each opening from both seats.
func TestPairsBeginWithTheSameOpening(t *testing.T) {
	t.Parallel()
	g, err := catalog.Lookup("connect_four")
	if err != nil {
		t.Fatal(err)
	}
	var kept seen
	s := &Series{
		Options: Options{Game: "connect_four", Logger: silent, Seed: "seed", Openings: UsualOpenings(g)},
		Sides:   [2]Side{side("first", first), side("last", last)}, Games: 20, Keep: kept.keep,
	}
	got, err := s.Play(t.Context())
	if err != nil || got.Distinct < 18 || got.Forfeits != [2]int{} {
		t.Errorf("%d of %d games differ, forfeits %v %v, %v", got.Distinct, got.Games, got.Forfeits, got.Why, err)
	}
	s.Openings = Openings{}
	s.ledger, s.next = ledger{}, 0
	if got, err = s.Play(t.Context()); err != nil || got.Distinct != 2 {
		t.Errorf("%d games differ without openings, %v; want 2", got.Distinct, err)
	}
}
