package minimax_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/game/connectfour"
	"agentleague/game/tictactoe"
	"agentleague/player"
	"agentleague/player/minds/mindtest"
	"agentleague/player/minds/minimax"
)

func mind(t testing.TB, depth string) player.Strategy {
	t.Helper()
	s, err := minimax.New(depth, catalog.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Tic-Tac-Toe with optimal play is a draw: minimax never loses, in either seat, whatever the opponent plays.
func TestMinimaxNeverLosesTicTacToe(t *testing.T) {
	t.Parallel()
	s := mind(t, "")
	for seat := range game.Seat(2) {
		start, _ := tictactoe.Game{}.Start(2, nil)
		var ends mindtest.Points
		everyReply(t, start.(game.Open), seat, s, &ends)
		if ends.Losses > 0 || ends.Wins == 0 {
			t.Errorf("in seat %d against every reply: %+v, want no loss", seat, ends)
		}
	}
	if o := mindtest.Play(t, tictactoe.Game{}, 1, mindtest.Two(s, s)); o.Scores[0] != o.Scores[1] {
		t.Errorf("against itself: %+v, want a draw", o)
	}
}

// everyReply plays all matches of a strategy against every possible move of the other seat.
func everyReply(t *testing.T, p game.Open, seat game.Seat, s player.Strategy, ends *mindtest.Points) {
	if o, over := p.Outcome(); over {
		ends.Count(o, seat)
		return
	}
	mover := p.ToMove()[0]
	moves := p.View(mover).Options
	if mover == seat {
		moves = []game.Move{mindtest.Ask(t, tictactoe.Game{}, 1, seat, p.View(seat), s)}
	}
	for _, m := range moves {
		next := p.Fork()
		if err := next.Apply(map[game.Seat]game.Move{mover: m}); err != nil {
			t.Fatal(err)
		}
		everyReply(t, next, seat, s, ends)
	}
}

func TestMinimaxBeatsRandom(t *testing.T) {
	t.Parallel()
	s, guess := mind(t, "4"), player.Random(rand.New(rand.NewPCG(1, 2)))
	var ends mindtest.Points
	for seed := range uint64(50) {
		ends.Count(mindtest.Play(t, tictactoe.Game{}, seed, mindtest.Two(s, guess)), 0)
	}
	if ends.Losses > 0 || ends.Wins < 40 {
		t.Errorf("got %+v of 50, want at least 40 wins and no loss", ends)
	}
}

// In a game that is too large to be seen to its end it wins by seeing further.
func TestMinimaxBeatsRandomAtConnectFour(t *testing.T) {
	t.Parallel()
	s, guess := mind(t, "4"), player.Random(rand.New(rand.NewPCG(1, 2)))
	var ends mindtest.Points
	for seed := range uint64(3) {
		ends.Count(mindtest.Play(t, connectfour.Game{}, seed, mindtest.Two(s, guess)), 0)
		ends.Count(mindtest.Play(t, connectfour.Game{}, seed, mindtest.Two(guess, s)), 1)
	}
	if ends.Wins != 6 {
		t.Errorf("got %+v of 6, want 6 wins", ends)
	}
}

// An immediate win is taken, and an immediate threat is blocked, at any search depth.
func TestMinimaxSeesWhatTheNextMoveDecides(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ depth, board, mark, want string }{
		{"1", `["X","X","","O","O","","","",""]`, "X", "2"}, // wins at once
		{"2", `["X","X","","O","","","","",""]`, "O", "2"},  // or it would lose
		{"9", `["X","X","","O","O","","","",""]`, "X", "2"}, // at once, and not later
	} {
		v := view(c.board, c.mark)
		if m := mindtest.Ask(t, tictactoe.Game{}, 1, 0, v, mind(t, c.depth)); string(m) != c.want {
			t.Errorf("depth %s on %s: got %s, want %s", c.depth, c.board, m, c.want)
		}
	}
}

// view is a board of Tic-Tac-Toe as the next player sees it.
func view(board, mark string) game.View {
	v := game.View{Ask: "place_mark", Context: []byte(`{"board":` + board + `,"mark":"` + mark + `"}`)}
	for i, cell := range strings.Split(strings.Trim(board, "[]"), ",") {
		if cell == `""` {
			v.Options = append(v.Options, game.Move([]byte{byte('0' + i)}))
		}
	}
	return v
}

// A mind that has no time left still plays, and in time.
func TestMinimaxPlaysInTime(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	ctx = player.WithMatch(ctx, player.Match{Game: "tic_tac_toe"}, nil)
	v := view(`["","","","","","","","",""]`, "X")
	if m, err := mind(t, "9").Choose(ctx, v); err != nil || m == nil {
		t.Errorf("got %s, %v; want a legal move", m, err)
	}
}

func TestMinimaxSaysWhatItCannotPlay(t *testing.T) {
	t.Parallel()
	parity := game.View{Options: []game.Move{game.Move(`"even"`), game.Move(`"odd"`)}, Context: []byte(`{}`)}
	for name, want := range map[string]string{
		"even_odd":    "minimax cannot look ahead in even_odd",
		"chess":       "unknown game",
		"tic_tac_toe": "resume tic_tac_toe",
	} {
		ctx := player.WithMatch(t.Context(), player.Match{Game: name}, nil)
		if m, err := mind(t, "").Choose(ctx, parity); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %s, %v; want %q", name, m, err, want)
		}
	}
	if m, err := mind(t, "").Choose(t.Context(), game.View{}); err == nil {
		t.Errorf("played %s out of nothing", m)
	}
	for _, depth := range []string{"0", "-1", "many", "65", "1.5"} {
		if _, err := minimax.New(depth, catalog.Lookup); err == nil {
			t.Errorf("a depth of %s: was taken, want an error", depth)
		}
	}
}

func BenchmarkConnectFourMove(b *testing.B) {
	start, _ := connectfour.Game{}.Start(2, nil)
	for b.Loop() {
		mindtest.Ask(b, connectfour.Game{}, 1, 0, start.View(0), mind(b, ""))
	}
}

func BenchmarkTicTacToe(b *testing.B) {
	s, guess := mind(b, ""), player.Random(rand.New(rand.NewPCG(1, 2)))
	for seed := uint64(0); b.Loop(); seed++ {
		mindtest.Play(b, tictactoe.Game{}, seed, mindtest.Two(s, guess))
	}
}
