package gametest

import (
	"errors"
	"math"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/evenodd"
	"agentleague/game/tictactoe"
)

func TestEveryLawIsSeenToBreak(t *testing.T) {
	for _, l := range laws {
		if !strings.Contains(brokenLaws(), l.name) {
			t.Errorf("no broken game for the law %q", l.name)
		}
	}
}

func TestBrokenLawsAreFound(t *testing.T) {
	for _, b := range breaches {
		t.Run(b.want, func(t *testing.T) { wantBroken(t, states(b.game, b.broken), b.want) })
	}
}

// brokenLaws returns the expected messages of all breaches.
func brokenLaws() string {
	var all []string
	for _, b := range breaches {
		all = append(all, b.want)
	}
	return strings.Join(all, "\n")
}

// shows makes every view show a context.
func shows(context string) func(s *brokenState) {
	return func(s *brokenState) {
		s.view = func(v game.View) game.View { v.Context = []byte(context); return v }
	}
}

// breaches are ways to break a valid match, with the expected messages.
var breaches = []struct {
	want   string
	game   game.Game
	broken func(s *brokenState)
}{
	{"seats to move are at the table, and none are when over: over is true, but seats [0] are to move", evenodd.Game{},
		func(s *brokenState) {
			s.toMove = func() []game.Seat { return []game.Seat{0} }
			s.outcome = func(game.Outcome, bool) (game.Outcome, bool) { return game.Outcome{}, true }
		}},
	{"over is false, but seats [] are to move", evenodd.Game{}, func(s *brokenState) {
		s.toMove = func() []game.Seat { return nil }
	}},
	{"seats [0 0] are to move", evenodd.Game{}, func(s *brokenState) {
		s.toMove = func() []game.Seat { return []game.Seat{0, 0} }
	}},
	{"seats [2] are to move", evenodd.Game{}, func(s *brokenState) {
		s.toMove = func() []game.Seat { return []game.Seat{2} }
	}},
	{`a view is its seat's own and asks those to move: seat 0: asked for "bid" with 2 options`, evenodd.Game{},
		func(s *brokenState) {
			s.view = func(v game.View) game.View { v.Ask = "bid"; return v }
		}},
	{`asked for "choose_parity" with 0 options`, evenodd.Game{}, func(s *brokenState) {
		s.view = func(v game.View) game.View { v.Options = nil; return v }
	}},
	{`seat -1: asked for "choose_parity" with 0 options, want neither`, evenodd.Game{}, func(s *brokenState) {
		s.view = func(v game.View) game.View { v.Ask = "choose_parity"; return v }
	}},
	{"seat 0: view says seat 9", evenodd.Game{}, func(s *brokenState) {
		s.view = func(v game.View) game.View { v.Seat = 9; return v }
	}},
	{"seat 0: view says seat 0, turn 9", evenodd.Game{}, func(s *brokenState) {
		s.view = func(v game.View) game.View { v.Turn = 9; return v }
	}},
	{`context "";`, evenodd.Game{}, func(s *brokenState) {
		s.view = func(v game.View) game.View { v.Context = nil; return v }
	}},
	{"a view or an outcome is not JSON", evenodd.Game{}, func(s *brokenState) {
		s.view = func(v game.View) game.View { v.Context = []byte("{"); return v }
	}},
	{"a view or an outcome is not JSON", evenodd.Game{}, func(s *brokenState) {
		s.outcome = func(o game.Outcome, over bool) (game.Outcome, bool) {
			return game.Outcome{Details: map[string]any{"odds": math.NaN()}}, over
		}
	}},
	{"a position has one text for each seat: seat 0: looked at again", evenodd.Game{}, func(s *brokenState) {
		last := game.Seat(-9)
		s.view = func(v game.View) game.View {
			if v.Seat == last { // twice in a row
				v.Context, last = []byte(`{"again":true}`), -9
				return v
			}
			last = v.Seat
			return v
		}
	}},
	{"offered options are legal: seat 0: illegal move 9", tictactoe.Game{}, func(s *brokenState) {
		s.view = func(v game.View) game.View {
			if v.Ask != "" {
				v.Options = append(v.Options, game.Move("9"))
			}
			return v
		}
	}},
	{"garbage is illegal: seat 0: move \"\": got error <nil>", evenodd.Game{}, func(s *brokenState) {
		s.check = func(game.Seat, game.Move) error { return nil }
	}},
	{"got error shame on seat 0, want an *IllegalMove", evenodd.Game{}, func(s *brokenState) {
		s.check = func(seat game.Seat, m game.Move) error {
			if s.State.Check(seat, m) != nil {
				return errors.New("shame on seat 0")
			}
			return nil
		}
	}},
	{"an error of 1029 bytes", evenodd.Game{}, func(s *brokenState) {
		s.check = func(seat game.Seat, m game.Move) error {
			if s.State.Check(seat, m) != nil {
				return &game.IllegalMove{Seat: seat, Move: m, Why: strings.Repeat("x", 1000)}
			}
			return nil
		}
	}},
	{"moves out of turn are illegal: seat -1", tictactoe.Game{}, func(s *brokenState) {
		s.check = func(seat game.Seat, m game.Move) error { return s.State.Check(0, m) }
	}},
	{"garbage is illegal: the state changed", tictactoe.Game{}, func(s *brokenState) {
		s.check = func(seat game.Seat, m game.Move) error {
			err := s.State.Check(seat, m)
			if err != nil {
				_ = s.State.Apply(map[game.Seat]game.Move{0: game.Move("0")})
			}
			return err
		}
	}},
	{"wrong seats are refused: moves without seat 0 are applied", tictactoe.Game{}, func(s *brokenState) {
		s.apply = func(moves map[game.Seat]game.Move) error { return nil }
	}},
	{"wrong seats are refused: a further move of seat -1 is applied", tictactoe.Game{}, func(s *brokenState) {
		s.apply = func(moves map[game.Seat]game.Move) error {
			if len(moves) > 1 {
				return nil
			}
			return s.State.Apply(moves)
		}
	}},
	{"wrong seats are refused: no moves at all are applied", evenodd.Game{}, func(s *brokenState) {
		s.apply = func(moves map[game.Seat]game.Move) error {
			if len(moves) == 0 {
				return nil
			}
			return s.State.Apply(moves)
		}
	}},
	{`illegal moves are refused: seat 0: move "" is applied`, evenodd.Game{}, func(s *brokenState) {
		s.apply = func(moves map[game.Seat]game.Move) error {
			if len(moves) == 2 && moves[0] == nil {
				return nil
			}
			return s.State.Apply(moves)
		}
	}},
	{"wrong seats are refused: the state changed", tictactoe.Game{}, func(s *brokenState) {
		s.apply = func(moves map[game.Seat]game.Move) error {
			err := s.State.Apply(moves)
			if err != nil {
				_ = s.State.Apply(map[game.Seat]game.Move{0: game.Move("0")})
			}
			return err
		}
	}},
	{"an outcome is complete: 1 scores, want one for each of 2 seats", evenodd.Game{}, func(s *brokenState) {
		s.outcome = func(o game.Outcome, over bool) (game.Outcome, bool) {
			return game.Outcome{Scores: []int{1}, Reason: "luck"}, over
		}
	}},
	{`reason "", want a sentence`, evenodd.Game{}, func(s *brokenState) {
		s.outcome = func(o game.Outcome, over bool) (game.Outcome, bool) { o.Reason = ""; return o, over }
	}},
	{`reason "{2} won", want a sentence with no places but {0} to {1}`, evenodd.Game{}, func(s *brokenState) {
		s.outcome = func(o game.Outcome, over bool) (game.Outcome, bool) { o.Reason = "{2} won"; return o, over }
	}},
	{"a board is a grid: seat 0: board: 5 cells in one list, want a square", evenodd.Game{}, shows(`{"board":["","","","",""]}`)},
	{"board: 0 cells in one list", evenodd.Game{}, shows(`{"board":[]}`)},
	{"board: row 1 has 1 cells", evenodd.Game{}, shows(`{"board":[["a","b"],["c"]]}`)},
	{"board: row 0 has 0 cells", evenodd.Game{}, shows(`{"board":[[]]}`)},
	{"board: json: cannot unmarshal", evenodd.Game{}, shows(`{"board":[[1,2]]}`)},
	{"board_rows: 1 headings, want one for each of 2 rows", evenodd.Game{}, shows(`{"board":[["a"],["b"]],"board_rows":["you"]}`)},
	{"board_columns: 2 headings, want one for each of 1 columns", evenodd.Game{}, shows(`{"board":[["a"],["b"]],"board_columns":["1","2"]}`)},
	{"headings are lists of texts", evenodd.Game{}, shows(`{"board":[["a"]],"board_rows":[1]}`)},
	{"line: cell 4, want 0 to 3", evenodd.Game{}, shows(`{"board":["","","",""],"line":[4]}`)},
	{"the outcome's details: board: 2 cells in one list", evenodd.Game{}, func(s *brokenState) {
		s.outcome = func(o game.Outcome, over bool) (game.Outcome, bool) {
			if over {
				o.Details["board"] = []string{"a", "b"}
			}
			return o, over
		}
	}},
	{"spectators see the same: seat -1 sees {}, seat 2 {\"secret\":1}", evenodd.Game{}, func(s *brokenState) {
		s.view = func(v game.View) game.View {
			if v.Seat == 2 {
				v.Context = []byte(`{"secret":1}`)
			}
			return v
		}
	}},
	{"spectators see the same: view says seat -1, turn 7", evenodd.Game{}, func(s *brokenState) {
		s.view = func(v game.View) game.View {
			if v.Seat == -1 {
				v.Turn = 7
			}
			return v
		}
	}},
	{"what is returned belongs to the caller: the state changed", evenodd.Game{}, func(s *brokenState) {
		seats := []game.Seat{0, 1}
		s.toMove = func() []game.Seat { return seats[:len(s.State.ToMove())] }
	}},
	{"what is returned belongs to the caller: the state changed", evenodd.Game{}, func(s *brokenState) {
		context := []byte(`{"pot":1}`)
		s.view = func(v game.View) game.View { v.Context = context; return v }
	}},
	{"what is returned belongs to the caller: the state changed", evenodd.Game{}, func(s *brokenState) {
		scores := []int{1, 0}
		s.outcome = func(o game.Outcome, over bool) (game.Outcome, bool) { o.Scores = scores; return o, over }
	}},
	{"turn 0: the state kept the moves it was given", evenodd.Game{}, func(s *brokenState) {
		var kept game.Move
		s.apply = func(moves map[game.Seat]game.Move) error {
			err := s.State.Apply(moves)
			if err == nil {
				kept = moves[0]
			}
			return err
		}
		s.outcome = func(o game.Outcome, over bool) (game.Outcome, bool) {
			o.Reason = "it was " + string(kept)
			return o, over
		}
	}},
}
