package connectfour

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/gametest"
)

func TestContract(t *testing.T) { gametest.Run(t, Game{}, 12) }

func FuzzCheck(f *testing.F) { gametest.Fuzz(f, Game{}) }

// after returns the match after some columns, which take turns.
func after(t *testing.T, played string) *state {
	t.Helper()
	s := &state{}
	for _, c := range played {
		if err := s.Apply(map[game.Seat]game.Move{s.board.next(): game.Move(string(c))}); err != nil {
			t.Fatalf("%q: %v", played, err)
		}
	}
	return s
}

func TestFourInARowWins(t *testing.T) {
	for _, tt := range []struct {
		name, played, reason, line string
		scores                     []int
	}{
		{"across", "0011223", "{0} has four X in a row", "[35,36,37,38]", []int{1, 0}},
		{"up", "6565656", "{0} has four X in a row", "[41,34,27,20]", []int{1, 0}},
		{"rising", "01122323363", "{0} has four X in a row", "[35,29,23,17]", []int{1, 0}},
		{"falling", "65544343303", "{0} has four X in a row", "[17,25,33,41]", []int{1, 0}},
		{"the second", "60616253", "{1} has four O in a row", "[35,36,37,38]", []int{0, 1}},
	} {
		o, over := after(t, tt.played).Outcome()
		line, _ := json.Marshal(o.Details["line"])
		if !over || o.Reason != tt.reason || !slices.Equal(o.Scores, tt.scores) || string(line) != tt.line {
			t.Errorf("%s: got %v, %q, line %s, over %v; want %v, %q, %s", tt.name, o.Scores, o.Reason, line, over, tt.scores,
				tt.reason, tt.line)
		}
	}
	if o, over := after(t, "6061625").Outcome(); over {
		t.Errorf("three in a row: got %+v, want a match that goes on", o)
	}
}

// A line ends at the edge: the top of a column and the bottom of the next are no neighbours.
func TestALineDoesNotGoOnBeyondTheEdge(t *testing.T) {
	for _, cells := range [][][2]int{
		{{0, 3}, {0, 4}, {0, 5}, {1, 0}}, {{4, 0}, {5, 0}, {6, 0}, {0, 1}}, {{0, 4}, {1, 5}, {2, 0}, {3, 1}},
		{{6, 0}, {5, 1}, {4, 2}, {3, 4}},
	} {
		var set uint64
		for _, c := range cells {
			set |= bit(c[0], c[1])
		}
		if four(set) || line(set) != nil {
			t.Errorf("%v is four in a row", cells)
		}
	}
}

func TestFullBoardIsADraw(t *testing.T) {
	s := after(t, "436014551150160155104632660465204242223333")
	if o, over := s.Outcome(); !over || o.Scores[0] != o.Scores[1] || o.Reason != "the board is full with no four in a row" {
		t.Errorf("got %+v, over %v", o, over)
	}
}

func TestAFullColumnIsNoOption(t *testing.T) {
	s := after(t, "000000")
	v := s.View(0)
	if len(v.Options) != 6 || string(v.Options[0]) != "1" {
		t.Errorf("got %s, want the columns 1 to 6", v.Options)
	}
	err := s.Check(0, game.Move("0"))
	if err == nil || !strings.Contains(err.Error(), "column 0 is full; use one of [1 2 3 4 5 6]") {
		t.Errorf("got %v", err)
	}
}

func TestEverybodySeesTheBoardFromTheTop(t *testing.T) {
	v := after(t, "33").View(-1)
	want := `{"board":[["","","","","","",""],["","","","","","",""],["","","","","","",""],["","","","","","",""],` +
		`["","","","O","","",""],["","","","X","","",""]],"board_columns":["0","1","2","3","4","5","6"],"mark":""}`
	if string(v.Context) != want {
		t.Errorf("got %s, want %s", v.Context, want)
	}
}

func TestAMatchGoesOnFromAnyView(t *testing.T) {
	s := after(t, "3344")
	back, err := Game{}.Resume(s.View(1))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := back.View(0).Text(), s.View(0).Text(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	fork := back.Fork()
	if err := fork.Apply(map[game.Seat]game.Move{0: game.Move("3")}); err != nil || back.View(0).Text() != s.View(0).Text() {
		t.Errorf("a move in a fork: %v, and the match is %s", err, back.View(0).Text())
	}
}

func TestAViewThatNoMatchLeadsToIsRefused(t *testing.T) {
	empty := func() [][]string { return board{}.shown() }
	for want, change := range map[string]func(b [][]string) [][]string{
		"has 5 rows":           func(b [][]string) [][]string { return b[1:] },
		"has 6 cells":          func(b [][]string) [][]string { b[2] = b[2][1:]; return b },
		"want X, O or nothing": func(b [][]string) [][]string { b[5][0] = "Z"; return b },
		"hangs in the air":     func(b [][]string) [][]string { b[3][0] = "X"; return b },
		"1 O are on the board": func(b [][]string) [][]string { b[5][0] = "O"; return b },
		"after the end of the match": func(b [][]string) [][]string {
			for c := range 4 {
				b[5][c], b[4][c] = "X", "O"
			}
			return b
		},
	} {
		context, _ := json.Marshal(map[string]any{"board": change(empty())})
		if _, err := (Game{}).Resume(game.View{Context: context}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := (Game{}).Resume(game.View{Context: json.RawMessage(`{"board":["X"]}`)}); err == nil {
		t.Error("a board of another game is resumed")
	}
}

// The bits agree with a search by hand over random matches.
func TestBitsAgreeWithALookAtEveryLine(t *testing.T) {
	t.Parallel()
	for seed := range 200 {
		s := &state{}
		for n := uint64(seed)*2654435761 + 1; len(s.ToMove()) > 0; n = n*6364136223846793005 + 1442695040888963407 {
			free := s.board.open()
			move := game.Move(strconv.Itoa(free[int(n>>33)%len(free)]))
			if err := s.Apply(map[game.Seat]game.Move{s.board.next(): move}); err != nil {
				t.Fatal(err)
			}
			marks := s.board.shown()
			if got, want := four(s.board[0]) || four(s.board[1]), byHand(marks); got != want {
				t.Fatalf("four in a row: got %v, want %v in %q", got, want, marks)
			}
		}
	}
}

// byHand reports whether there are four equal marks in a row.
func byHand(marks [][]string) bool {
	for row := range rows {
		for column := range columns {
			for _, d := range [][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}} {
				r, c := row+3*d[0], column+3*d[1]
				if marks[row][column] == "" || r >= rows || c < 0 || c >= columns {
					continue
				}
				if m := marks[row][column]; m == marks[row+d[0]][column+d[1]] && m == marks[row+2*d[0]][column+2*d[1]] &&
					m == marks[r][c] {
					return true
				}
			}
		}
	}
	return false
}

func BenchmarkPlayout(b *testing.B) {
	for b.Loop() {
		s := board{}
		for seat := game.Seat(0); !s.over(); seat = 1 - seat {
			free := s.open()
			s.drop(seat, free[s.discs()%len(free)])
		}
	}
}
