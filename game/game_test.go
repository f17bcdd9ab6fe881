package game_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"agentleague/game"
)

func TestSeatCountsOutsideOfTheBoundsAreRefused(t *testing.T) {
	pair := game.Info{Type: "duel", MinSeats: 2, MaxSeats: 2}
	table := game.Info{Type: "cards", MinSeats: 2, MaxSeats: 4}
	tests := []struct {
		info  game.Info
		seats int
		want  string
	}{
		{pair, 2, ""},
		{pair, 1, "duel: 1 seats, want 2"},
		{pair, 3, "duel: 3 seats, want 2"},
		{table, 2, ""},
		{table, 4, ""},
		{table, 5, "cards: 5 seats, want 2 to 4"},
		{table, -1, "cards: -1 seats, want 2 to 4"},
	}
	for _, tt := range tests {
		if got := text(tt.info.CheckSeats(tt.seats)); got != tt.want {
			t.Errorf("%s with %d seats: got %q, want %q", tt.info.Type, tt.seats, got, tt.want)
		}
	}
}

func TestViewIsEncodedWithItsWireNames(t *testing.T) {
	v := game.View{
		Seat: 1, Turn: 2, Ask: "bid", Options: []game.Move{game.Move(`1`), game.Move(`"pass"`)}, Context: []byte(`{"pot":3}`),
	}
	got, err := json.Marshal(v)
	want := `{"seat":1,"turn":2,"move_type":"bid","valid_options":[1,"pass"],"context":{"pot":3}}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if v.Text() != want {
		t.Errorf("text: got %s, want %s", v.Text(), want)
	}
	spaced := v
	spaced.Context = []byte("{\n  \"pot\": 3\n}")
	if spaced.Text() != want {
		t.Errorf("text of a context with spaces: got %s, want %s", spaced.Text(), want)
	}
	var back game.View
	if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, v) {
		t.Errorf("read back: got %+v, %v, want %+v", back, err, v)
	}
}

func TestWinnerIsTheOneHighestScore(t *testing.T) {
	tests := []struct {
		scores []int
		winner game.Seat
		ok     bool
	}{
		{[]int{1, 0}, 0, true},
		{[]int{0, 1}, 1, true},
		{[]int{-2, -5}, 0, true},
		{[]int{1, 1}, 0, false},
		{[]int{0, 0}, 0, false},
		{[]int{1, 1, 2}, 2, true},
		{[]int{3, 1, 3}, 0, false},
		{[]int{7}, 0, true},
		{nil, 0, false},
	}
	for _, tt := range tests {
		if winner, ok := (game.Outcome{Scores: tt.scores}).Winner(); winner != tt.winner || ok != tt.ok {
			t.Errorf("scores %v: got seat %d, %v, want seat %d, %v", tt.scores, winner, ok, tt.winner, tt.ok)
		}
	}
}

func TestSentenceNamesThePlayers(t *testing.T) {
	tests := []struct {
		reason string
		names  []string
		want   string
	}{
		{"{0} chose even", []string{"P01", "P02"}, "P01 chose even"},
		{"{1} beat {0}, poor {0}", []string{"P01", "P02"}, "P02 beat P01, poor P01"},
		{"{0} beat {1}", []string{"{1}", "{0}"}, "{1} beat {0}"},
		{"{1} beat {10}", strings.Split("abcdefghijk", ""), "b beat k"},
		{"nobody won", []string{"P01", "P02"}, "nobody won"},
		{"{0} won", nil, "{0} won"},
	}
	for _, tt := range tests {
		if got := (game.Outcome{Reason: tt.reason}).Sentence(tt.names); got != tt.want {
			t.Errorf("%q with %q: got %q, want %q", tt.reason, tt.names, got, tt.want)
		}
	}
}

func TestIllegalMoveShowsAShortPrintableMove(t *testing.T) {
	tests := []struct{ move, want string }{
		{`"seven"`, `seat 1: illegal move "seven": want less`},
		{``, `seat 1: illegal move (none): want less`},
		{"{\n\x1b[31m\xff}", `seat 1: illegal move {??[31m?}: want less`},
		{strings.Repeat("9", 64), `seat 1: illegal move ` + strings.Repeat("9", 64) + `: want less`},
		{strings.Repeat("9", 65), `seat 1: illegal move ` + strings.Repeat("9", 64) + `…: want less`},
		{strings.Repeat("9", 63) + "é", `seat 1: illegal move ` + strings.Repeat("9", 63) + `?…: want less`},
	}
	for _, tt := range tests {
		got := (&game.IllegalMove{Seat: 1, Move: game.Move(tt.move), Why: "want less"}).Error()
		if got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.move, got, tt.want)
		}
	}
}

func TestIllegalMoveOfAnySizeMakesAShortError(t *testing.T) {
	for _, unit := range []string{"x", "\x00", "\xff", "é", "\U0001f600"} {
		got := (&game.IllegalMove{Move: game.Move(strings.Repeat(unit, 1<<16)), Why: "want less"}).Error()
		if len(got) > 64+64 || !utf8.ValidString(got) {
			t.Errorf("%q: got %d bytes, valid UTF-8 %v, want at most 128 and valid", unit, len(got), utf8.ValidString(got))
		}
	}
}

// table is a state in which given seats are to move and any move but "bad" is legal.
type table struct {
	game.State
	toMove []game.Seat
}

func (s table) ToMove() []game.Seat { return s.toMove }

func (s table) Check(seat game.Seat, m game.Move) error {
	if string(m) == "bad" {
		return &game.IllegalMove{Seat: seat, Move: m, Why: "want good"}
	}
	return nil
}

func TestCheckMovesWantsOneLegalMoveOfEachSeatToMove(t *testing.T) {
	good, bad := game.Move("good"), game.Move("bad")
	both := []game.Seat{0, 1}
	tests := []struct {
		toMove []game.Seat
		moves  map[game.Seat]game.Move
		want   string
	}{
		{both, map[game.Seat]game.Move{0: good, 1: good}, ""},
		{both[1:], map[game.Seat]game.Move{1: good}, ""},
		{both, nil, "seat 0: no move, want moves of seats [0 1]"},
		{both, map[game.Seat]game.Move{0: good}, "seat 1: no move, want moves of seats [0 1]"},
		{both[1:], map[game.Seat]game.Move{0: good}, "seat 0: a move out of turn, want moves of seats [1]"},
		{both, map[game.Seat]game.Move{0: good, 1: good, 3: good, 2: good},
			"seat 2: a move out of turn, want moves of seats [0 1]"},
		{both, map[game.Seat]game.Move{0: good, 1: bad}, "seat 1: illegal move bad: want good"},
		{nil, nil, "the match is over: want no more moves"},
		{nil, map[game.Seat]game.Move{0: good}, "the match is over: want no more moves"},
	}
	for _, tt := range tests {
		if got := text(game.CheckMoves(table{toMove: tt.toMove}, tt.moves)); got != tt.want {
			t.Errorf("%v to move, moves %v: got %q, want %q", tt.toMove, tt.moves, got, tt.want)
		}
	}
}

func TestCheckMovesBlamesASeatForItsIllegalMove(t *testing.T) {
	err := game.CheckMoves(table{toMove: []game.Seat{1}}, map[game.Seat]game.Move{1: game.Move("bad")})
	if illegal, ok := errors.AsType[*game.IllegalMove](err); !ok || illegal.Seat != 1 {
		t.Errorf("got %v, want an *IllegalMove of seat 1", err)
	}
}

// text returns an error's message, and nothing for none.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
