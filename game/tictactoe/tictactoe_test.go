package tictactoe

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/draw"
	"agentleague/game/gametest"
)

func TestLongContract(t *testing.T) { gametest.Run(t, Game{}, 50) }

func FuzzCheck(f *testing.F) { gametest.Fuzz(f, Game{}) }

func TestInfoIsTheRegistrysEntry(t *testing.T) {
	want := game.Info{
		Type: "tic_tac_toe", Name: "Tic-Tac-Toe", Module: "tictactoe",
		Rules:        (Game{}).Info().Rules, // checked by gametest
		MoveTypes:    []string{"place_mark"},
		ValidChoices: map[string][]string{"place_mark": {"0-8"}},
		MinSeats:     2, MaxSeats: 2, MaxTurns: 9, SeatMatters: true, GuestsMayJudge: true,
	}
	if got := (Game{}).Info(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestMatchesEndAsTheBoardSays(t *testing.T) {
	tests := []struct {
		cells  string // in the order of play
		board  string
		line   any
		scores []int
		reason string
	}{
		{"03142", "XXXOO....", []int{0, 1, 2}, []int{1, 0}, "{0} has three X in a row, cells 0, 1 and 2"},
		{"031485", "XX.OOO..X", []int{3, 4, 5}, []int{0, 1}, "{1} has three O in a row, cells 3, 4 and 5"},
		{"01428", "XOO.X...X", []int{0, 4, 8}, []int{1, 0}, "{0} has three X in a row, cells 0, 4 and 8"},
		{"021346578", "XXOOXXOOX", []int{0, 4, 8}, []int{1, 0}, "{0} has three X in a row, cells 0, 4 and 8"},
		{"012435768", "XOXXOOOXX", nil, []int{0, 0}, "the board is full with no three in a row"},
	}
	for _, tt := range tests {
		want := game.Outcome{
			Scores: tt.scores, Reason: tt.reason,
			Details: map[string]any{"board": marks(tt.board), "line": tt.line},
		}
		if got, over := play(t, tt.cells).Outcome(); !over || !reflect.DeepEqual(got, want) {
			t.Errorf("cells %s: got %+v, over %v, want %+v", tt.cells, got, over, want)
		}
	}
}

func TestEveryLineWinsForEitherMark(t *testing.T) {
	for _, l := range lines {
		for seat := range game.Seat(2) {
			var b board
			for _, cell := range l {
				b[cell] = game.Mark(seat)
			}
			if winner, ok := b.result().Winner(); !ok || winner != seat || !reflect.DeepEqual(b.line(), l[:]) {
				t.Errorf("line %v of seat %d: got winner %d, %v, line %v", l, seat, winner, ok, b.line())
			}
		}
	}
}

func TestSeatsTakeTurnsUntilTheEnd(t *testing.T) {
	const cells = "012435768"
	for played := range len(cells) {
		s := play(t, cells[:played])
		if got, want := s.ToMove(), []game.Seat{game.Seat(played % 2)}; !reflect.DeepEqual(got, want) {
			t.Errorf("after %d marks: got seats %v to move, want %v", played, got, want)
		}
		if o, over := s.Outcome(); over {
			t.Errorf("after %d marks: got outcome %+v, want none", played, o)
		}
	}
}

func TestViewShowsTheBoardAndTheFreeCells(t *testing.T) {
	s := play(t, "40")
	context := func(mark string) []byte {
		return []byte(`{"board":["O","","","","X","","","",""],"mark":"` + mark + `"}`)
	}
	var free []game.Move
	for _, cell := range []string{"1", "2", "3", "5", "6", "7", "8"} {
		free = append(free, game.Move(cell))
	}
	for _, want := range []game.View{
		{Seat: 0, Turn: 2, Ask: "place_mark", Options: free, Context: context("X")},
		{Seat: 1, Turn: 2, Context: context("O")},
		{Seat: 2, Turn: 2, Context: context("")},
	} {
		if got := s.View(want.Seat); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestCellsAreIntegersFromZeroToEight(t *testing.T) {
	for cell := range cells {
		for _, m := range []string{strconv.Itoa(cell), " \t" + strconv.Itoa(cell) + "\r\n"} {
			if got, err := (board{}).validateCell(game.Move(m)); got != cell || err != nil {
				t.Errorf("%q: got cell %d, %v, want %d", m, got, err, cell)
			}
		}
	}
	for _, m := range []string{
		"null", "-0", "-1", "9", "10", "00", "04", "4.0", "4e0", "40e-1", `"4"`, `"a"`, "[4]", "{}", "true",
		"", "4 4", "4,", "+4", "\u00a04", "\v4", "４", "/", ":",
	} {
		if cell, err := (board{}).validateCell(game.Move(m)); err == nil {
			t.Errorf("%q: got cell %d, want an error", m, cell)
		}
	}
}

func TestRefusedMoveSaysWhatIsWanted(t *testing.T) {
	tests := []struct {
		cells string
		seat  game.Seat
		move  string
		want  string
	}{
		{"", 0, `4.0`, "seat 0: illegal move 4.0: use the number of a cell, a whole number from 0 to 8"},
		{"0132", 0, `0`, "seat 0: illegal move 0: cell 0 is taken; use one of [4 5 6 7 8]"},
		{"0", 0, `4`, "seat 0: illegal move 4: it is not this seat's turn"},
		{"03142", 1, `8`, "seat 1: illegal move 8: it is not this seat's turn"},
	}
	for _, tt := range tests {
		err := play(t, tt.cells).Check(tt.seat, game.Move(tt.move))
		if err == nil || err.Error() != tt.want {
			t.Errorf("after %q: got %v, want %s", tt.cells, err, tt.want)
		}
	}
}

// play starts a match and marks those cells in turn.
func play(t *testing.T, cells string) game.State {
	t.Helper()
	s, err := Game{}.Start(2, draw.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	for turn, cell := range strings.Split(cells, "") {
		moves := map[game.Seat]game.Move{game.Seat(turn % 2): game.Move(cell)}
		if err := s.Apply(moves); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// marks returns a board written with dots for free cells.
func marks(board string) []string {
	out := strings.Split(board, "")
	for i, m := range out {
		out[i] = strings.Trim(m, ".")
	}
	return out
}

func TestAMatchGoesOnFromWhatASeatSees(t *testing.T) {
	was, err := Game{}.Start(2, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range []string{"4", "0", "8", "2"} {
		seat := was.ToMove()[0]
		now, err := Game{}.Resume(was.View(1 - seat))
		if err != nil {
			t.Fatal(err)
		}
		fork := now.Fork()
		for _, s := range []game.State{was, now} {
			if err := s.Apply(map[game.Seat]game.Move{seat: game.Move(cell)}); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := now.View(seat).Text(), was.View(seat).Text(); got != want {
			t.Errorf("after %s: got %s, want %s", cell, got, want)
		}
		if fork.View(seat).Text() == now.View(seat).Text() {
			t.Errorf("after %s: the fork moved with the match", cell)
		}
	}
}

func TestAMatchDoesNotGoOnFromWhatNoMatchLeadsTo(t *testing.T) {
	for _, context := range []string{
		`{}`, `null`, `"X"`, `{"board":["X"]}`, `{"board":["X","X","","","","","","",""]}`,
		`{"board":["O","","","","","","","",""]}`, `{"board":["Z","","","","","","","",""]}`,
	} {
		if s, err := (Game{}).Resume(game.View{Context: []byte(context)}); err == nil {
			t.Errorf("%s: got %s, want an error", context, s.View(0).Text())
		}
	}
}
