package gametest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/evenodd"
	"agentleague/game/tictactoe"
)

// cards returns a game in which each seat gets one card at the start; show determines which views include it.
func cards(show func(v *game.View, mine func(seat game.Seat) int)) game.Game {
	noGuests := func(i game.Info) game.Info { i.GuestsMayJudge = false; return i }
	return chancy{brokenGame{Game: evenodd.Game{}, info: noGuests}, func(s *brokenState, chance int) {
		s.view = func(v game.View) game.View {
			show(&v, func(seat game.Seat) int { return []int{chance % 3, chance / 3 % 3}[seat] })
			return v
		}
	}}
}

func atTheTable(seat game.Seat) bool { return seat == 0 || seat == 1 }

func TestCardsThatOnlyTheirOwnersSeePass(t *testing.T) {
	g := cards(func(v *game.View, card func(game.Seat) int) {
		if atTheTable(v.Seat) {
			v.Context = fmt.Appendf(nil, `{"card":%d}`, card(v.Seat))
		}
	})
	if err := check(g, 20); err != nil {
		t.Error(err)
	}
}

func TestDiceThatEverybodySeesPass(t *testing.T) {
	g := cards(func(v *game.View, card func(game.Seat) int) { v.Context = fmt.Appendf(nil, `{"dice":%d}`, card(0)) })
	if err := check(g, 20); err != nil {
		t.Error(err)
	}
}

func TestASpectatorThatSeesACardIsFound(t *testing.T) {
	wantBroken(t, cards(func(v *game.View, card func(game.Seat) int) {
		if !atTheTable(v.Seat) {
			v.Context = fmt.Appendf(nil, `{"card":%d}`, card(1))
		} else {
			v.Context = fmt.Appendf(nil, `{"card":%d}`, card(v.Seat))
		}
	}), "a spectator sees more than seat 0")
}

func TestASeatThatSeesTheOthersCardIsFound(t *testing.T) {
	wantBroken(t, cards(func(v *game.View, card func(game.Seat) int) {
		switch v.Seat {
		case 0:
			v.Context = fmt.Appendf(nil, `{"card":%d,"trace":%d}`, card(0), 7*card(1))
		case 1:
			v.Context = fmt.Appendf(nil, `{"card":%d}`, card(1))
		}
	}), "what seat 1 alone may know follows from what seat 0 sees")
}

func TestPlayoutsFindWhatIsBroken(t *testing.T) {
	matches := 0
	for want, g := range map[string]game.Game{
		"no outcome after 4 turns": brokenGame{Game: tictactoe.Game{}, info: func(i game.Info) game.Info { i.MaxTurns = 4; return i }},
		"options are refused: no": states(tictactoe.Game{}, func(s *brokenState) {
			s.apply = func(map[game.Seat]game.Move) error { return errors.New("no") }
		}),
		"over is false": states(evenodd.Game{}, func(s *brokenState) {
			s.outcome = func(o game.Outcome, _ bool) (game.Outcome, bool) { return o, false }
		}),
		"want a sentence": states(evenodd.Game{}, func(s *brokenState) {
			s.outcome = func(o game.Outcome, over bool) (game.Outcome, bool) { o.Reason = ""; return o, over }
		}),
		"replay differs from play": states(evenodd.Game{}, func(s *brokenState) {
			matches++
			reason := fmt.Sprint(matches)
			s.outcome = func(o game.Outcome, over bool) (game.Outcome, bool) { o.Reason = reason; return o, over }
		}),
		"replay: turn 0: no": states(evenodd.Game{}, func(s *brokenState) {
			if matches++; matches%2 == 0 {
				s.apply = func(map[game.Seat]game.Move) error { return errors.New("no") }
			}
		}),
		"no table": brokenGame{Game: evenodd.Game{}, start: func(int) error { return errors.New("no table") }},
	} {
		matches = 0
		if err := playout(g, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
	Playouts(t, tictactoe.Game{}, 20)
}
