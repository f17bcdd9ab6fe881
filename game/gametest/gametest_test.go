package gametest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/draw"
	"agentleague/game/evenodd"
	"agentleague/game/tictactoe"
)

func TestGoodGamesPass(t *testing.T) {
	Run(t, evenodd.Game{}, 20)
	Run(t, tictactoe.Game{}, 20)
}

func FuzzGoodGame(f *testing.F) { Fuzz(f, tictactoe.Game{}) }

func TestIncompleteInfoIsFound(t *testing.T) {
	tests := []struct {
		want string
		info func(game.Info) game.Info
	}{
		{"want type, name and module", func(i game.Info) game.Info { i.Type = ""; return i }},
		{"want type, name and module", func(i game.Info) game.Info { i.Name = ""; return i }},
		{"want type, name and module", func(i game.Info) game.Info { i.Module = ""; return i }},
		{"no rules", func(i game.Info) game.Info { i.Rules = " "; return i }},
		{"want one paragraph", func(i game.Info) game.Info { i.Rules = "Choose.\nWin."; return i }},
		{"want one paragraph", func(i game.Info) game.Info { i.Rules += " "; return i }},
		{"want sentences", func(i game.Info) game.Info { i.Rules = "choose and win"; return i }},
		{"want sentences of at most", func(i game.Info) game.Info { i.Rules = strings.Repeat("Choose. ", 130) + "Win."; return i }},
		{"no move types", func(i game.Info) game.Info { i.MoveTypes = nil; return i }},
		{`no valid choices for move type "choose_parity"`, func(i game.Info) game.Info { i.ValidChoices = nil; return i }},
		{`how "choose_parity" is answered: want "odd" in them`, func(i game.Info) game.Info { i.Rules = "Choose even."; return i }},
		{`want "99" in them, for "0-99"`, func(i game.Info) game.Info {
			i.Rules, i.ValidChoices["choose_parity"] = "Choose a number from 0.", []string{"0-99"}
			return i
		}},
		{"0 to 2 seats", func(i game.Info) game.Info { i.MinSeats = 0; return i }},
		{"2 to 1 seats", func(i game.Info) game.Info { i.MaxSeats = 1; return i }},
		{"at most 0 turns", func(i game.Info) game.Info { i.MaxTurns = 0; return i }},
	}
	for _, tt := range tests {
		wantBroken(t, brokenGame{Game: evenodd.Game{}, info: tt.info}, tt.want)
	}
}

func TestSharedInfoIsFound(t *testing.T) {
	shared := evenodd.Game{}.Info()
	wantBroken(t, brokenGame{Game: evenodd.Game{}, info: func(game.Info) game.Info {
		return shared
	}}, "changing what Info returned")
}

func TestWrongSeatCountsAreFound(t *testing.T) {
	anyNumber := func(int) error { return nil }
	wantBroken(t, brokenGame{Game: evenodd.Game{}, start: anyNumber}, "a match with -1 seats is allowed")
	never := func(int) error { return errors.New("no table") }
	wantBroken(t, brokenGame{Game: evenodd.Game{}, start: never}, "a match with 2 seats is refused: no table")
}

func TestMatchesThatDoNotEndAreFound(t *testing.T) {
	short := func(i game.Info) game.Info { i.MaxTurns = 4; return i }
	wantBroken(t, brokenGame{Game: tictactoe.Game{}, info: short}, "no outcome after 4 turns")
}

func TestChanceFromElsewhereIsFound(t *testing.T) {
	matches := 0
	g := states(evenodd.Game{}, func(s *brokenState) {
		matches++
		reason := strings.Repeat("so ", matches)
		s.outcome = func(o game.Outcome, over bool) (game.Outcome, bool) {
			if over {
				o.Reason = reason
			}
			return o, over
		}
	})
	wantBroken(t, g, "replay differs from play")
}

func TestReplayThatEndsOtherwiseIsFound(t *testing.T) {
	matches := 0
	stubborn := states(evenodd.Game{}, func(s *brokenState) {
		if matches++; matches > 1 {
			s.apply = func(map[game.Seat]game.Move) error { return errors.New("not again") }
		}
	})
	wantBroken(t, stubborn, "replay: turn 0: legal moves are refused: not again")
	matches = 0
	endless := states(evenodd.Game{}, func(s *brokenState) {
		if matches++; matches > 1 {
			s.outcome = func(game.Outcome, bool) (game.Outcome, bool) { return game.Outcome{}, false }
		}
	})
	long := func(i game.Info) game.Info { i.MaxTurns = 3; return i }
	wantBroken(t, brokenGame{Game: endless, info: long}, "replay: turn 1: legal moves are refused")
}

func TestLeakedDetailsAreFound(t *testing.T) {
	for _, context := range []string{`{"drawn_number":6}`, `{"table":[{"seen":{"drawn_number":6}}]}`} {
		g := states(evenodd.Game{}, func(s *brokenState) {
			s.view = func(v game.View) game.View { v.Context = []byte(context); return v }
			s.outcome = func(o game.Outcome, over bool) (game.Outcome, bool) {
				if over {
					o.Details["drawn_number"] = 6
				}
				return o, over
			}
		})
		wantBroken(t, g, `turn 0: seat 0 sees the outcome's "drawn_number" before the end`)
	}
}

func TestOutcomeWithoutDetailsPasses(t *testing.T) {
	g := states(evenodd.Game{}, func(s *brokenState) {
		s.outcome = func(o game.Outcome, over bool) (game.Outcome, bool) { o.Details = nil; return o, over }
	})
	if err := check(g, 5); err != nil {
		t.Errorf("got %v, want no error", err)
	}
}

func TestHiddenLegalityIsFound(t *testing.T) {
	matches := 0
	g := states(tictactoe.Game{}, func(s *brokenState) {
		hidden := matches / 2 % 2 // the same for a match and its replay
		matches++
		s.view = func(v game.View) game.View {
			if v.Ask != "" && len(v.Options) == 9 {
				v.Options = v.Options[:8]
			}
			return v
		}
		s.check = func(seat game.Seat, m game.Move) error {
			if hidden == 1 && string(m) == "8" {
				return &game.IllegalMove{Seat: seat, Move: m, Why: "no"}
			}
			return s.State.Check(seat, m)
		}
	})
	notForGuests := func(i game.Info) game.Info { i.GuestsMayJudge = false; return i }
	wantBroken(t, brokenGame{Game: g, info: notForGuests}, "two positions with different legal moves have one text")
}

func TestChanceBeforeTheLastMoveIsNoGuestsGame(t *testing.T) {
	for want, broken := range map[string]func(s *brokenState, chance int){
		"under one key it is [0 1]": func(s *brokenState, chance int) { // a card that is seen
			s.view = func(v game.View) game.View { v.Context = fmt.Appendf(nil, `{"card":%d}`, chance); return v }
		},
		"under one key": func(s *brokenState, chance int) { // a move that is legal for some
			s.check = func(seat game.Seat, m game.Move) error {
				if string(m) == "7" && chance%2 == 0 && len(s.State.ToMove()) > 0 && seat >= 0 && seat < 2 {
					return nil
				}
				return s.State.Check(seat, m)
			}
		},
	} {
		g := chancy{brokenGame{Game: evenodd.Game{}}, broken}
		wantBroken(t, g, "guests may judge, but chance comes before the last move")
		wantBroken(t, g, want)
	}
	longer := chancy{brokenGame{Game: evenodd.Game{}, info: func(i game.Info) game.Info {
		i.MaxTurns = 9
		return i
	}}, func(s *brokenState, chance int) {
		s.outcome = func(o game.Outcome, over bool) (game.Outcome, bool) { return o, over && chance%2 == 0 }
		s.toMove = func() []game.Seat {
			if _, over := s.Outcome(); over || len(s.State.ToMove()) > 0 {
				return s.State.ToMove()
			}
			return []game.Seat{0}
		}
	}}
	if err := check(longer, 20); err == nil {
		t.Error("a match whose length is drawn passes")
	}
}

// A chancy game draws a number at the start of each match.
type chancy struct {
	brokenGame
	broken func(s *brokenState, chance int)
}

func (g chancy) Start(seats int, rng *rand.Rand) (game.State, error) {
	good, err := g.brokenGame.Start(seats, rng)
	if err != nil {
		return nil, err
	}
	s := &brokenState{State: good}
	g.broken(s, draw.Number(rng, 1000))
	return s, nil
}

// wantBroken fails t unless check finds the defect of g.
func wantBroken(t *testing.T, g game.Game, want string) {
	t.Helper()
	if err := check(g, 20); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want %q", err, want)
	}
}
