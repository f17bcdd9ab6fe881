package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentleague/web/board"
)

// lineAsked, lineAnswered and lineEnded are lines of a timeline.
func lineAsked(player string, turn int, context string) Line {
	return Line{Type: "GAME_MOVE_CALL", From: "REF01", To: player,
		Message: json.RawMessage(fmt.Sprintf(`{"turn":%d,"move_request":{"context":%s}}`, turn, context))}
}

func lineAnswered(player, choice string) Line {
	return Line{Type: "GAME_MOVE_RESPONSE", From: player, To: "REF01",
		Message: json.RawMessage(fmt.Sprintf(`{"move_data":{"choice":%s}}`, choice))}
}

func lineEnded(player, details string) Line {
	return Line{Type: "GAME_OVER", From: "REF01", To: player,
		Message: json.RawMessage(fmt.Sprintf(`{"game_result":{"details":%s}}`, details))}
}

var ada, bob = NameView{"P01", "Ada"}, NameView{"P02", "Bob"}

// In a match with different views, every position has the view of each player, with names in place of seats; other
// messages, such as retries, change no position.
func TestPositionsHaveWhatEachPlayerSaw(t *testing.T) {
	t.Parallel()
	sheet := func(mine, theirs string) string {
		return `{"board":[["` + mine + `"],["` + theirs + `"]],"board_rows":["you","opponent"],"card":"` + mine + `"}`
	}
	lines := []Line{
		lineAsked("P01", 0, sheet("K", "?")), lineAnswered("P01", `"peek"`), lineAsked("P01", 0, sheet("K", "?")), lineAsked("P02", 0, sheet("J", "?")),
		lineAnswered("P02", `"fold"`), lineAnswered("P01", `"bet"`),
		lineEnded("P01", `{"board":[["K"],["J"]],"board_rows":["first","second"]}`),
		lineEnded("P02", `{"board":[["K"],["J"]],"board_rows":["first","second"]}`),
	}
	got := positions(lines, ada, bob)
	if len(got) != 2 || len(got[0].Seen) != 2 || len(got[1].Seen) != 1 {
		t.Fatalf("got %+v", got)
	}
	first, second, end := got[0].Seen[0], got[0].Seen[1], got[1].Seen[0]
	for _, tt := range []struct{ got, want string }{
		{fmt.Sprint(first.Players, first.Board.RowHeads, first.Board.Cells, first.Facts), "[P01] [Ada Bob] [K ?] [{card K [] []}]"},
		{fmt.Sprint(second.Players, second.Board.RowHeads, second.Board.Cells, second.Facts), "[P02] [Bob Ada] [J ?] [{card J [] []}]"},
		{fmt.Sprint(end.Players, end.Board.RowHeads, end.Board.Cells), "[] [Ada Bob] [K J]"},
		{got[0].Words() + "; " + got[0].Whose(first), "the start; as Ada saw it"},
		{got[1].Words(), "the end, Ada played bet, Bob played fold"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
	var at []int
	for _, l := range lines {
		at = append(at, l.Board)
	}
	if want := []int{0, 0, 0, 0, 0, 0, 1, 1}; !slices.Equal(at, want) {
		t.Errorf("the lines belong to the positions %v, want %v", at, want)
	}
}

// A match with more positions than a page can show has some of them, the first and the last among them.
func TestTooManyPositionsAreThinnedOut(t *testing.T) {
	t.Parallel()
	row := `[` + strings.TrimSuffix(strings.Repeat(`"x",`, 500), ",") + `]`
	var lines []Line
	for turn := range 200 {
		lines = append(lines, lineAsked("P01", turn, `{"board":[`+row+`],"turn":`+fmt.Sprint(turn)+`}`))
	}
	got := positions(lines, ada, bob)
	if cells := 500 * len(got); cells > boardsMost+1000 || cells < boardsMost/2 {
		t.Errorf("%d positions are left, of %d cells", len(got), cells)
	}
	if got[0].Turn != 0 || got[len(got)-1].Turn != 199 || lines[199].Board != len(got)-1 || lines[1].Board != 0 {
		t.Errorf("from %d to %d; line 1 is at %d, line 199 at %d of %d", got[0].Turn, got[len(got)-1].Turn, lines[1].Board,
			lines[199].Board, len(got))
	}
}

// Moves are cells, columns or words, and many words come in groups.
func TestMovesAreOfferedWhereTheyAreMade(t *testing.T) {
	t.Parallel()
	turn := func(context string, moves ...string) turnView {
		v := turnView{}
		for _, m := range moves {
			v.Options = append(v.Options, optionView{Move: m, Label: strings.Trim(m, `"`)})
		}
		if b, ok := board.Read(json.RawMessage(context)); ok {
			v.Board = &b
		}
		return v
	}
	cells := turn(`{"board":["X","","",""]}`, "1", "3")
	if g := cells.Grid(); !cells.OnBoard() || g.Rows[0].Cells[1].Option != "1" || g.Rows[0].Cells[1].Key != "2" || g.Rows[1].Cells[0].Option != "" ||
		g.Rows[1].Cells[1].Label != "row 2, column 2, empty" || g.Heads != nil {
		t.Errorf("cells: got %+v", g)
	}
	columns := turn(`{"board":[["","X",""],["","O",""]],"board_columns":["a","b","c"]}`, "0", "2")
	if g := columns.Grid(); !columns.OnBoard() || len(g.Heads) != 3 || g.Heads[2].Option != "2" || g.Heads[1].Option != "" ||
		g.Heads[0].Text != "a" || g.Heads[0].Key != "a" || g.Heads[2].Label != "column c" || g.Rows[1].Cells[0].Column != 0 || g.Rows[1].Cells[1].Column != -1 {
		t.Errorf("columns: got %+v", g)
	}
	words := turn(`{"board":["X"]}`, `"even"`)
	if words.OnBoard() || words.Where() != "" {
		t.Errorf("words are made on the board: %s", words.Where())
	}
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf(`"ask:is_%d"`, i), fmt.Sprintf(`"guess:%d"`, i))
	}
	groups := turn(`{}`, append(many, `"pass"`)...).Groups()
	if len(groups) != 3 || groups[0].Name != "ask" || len(groups[0].Options) != 20 || groups[0].Options[3].Label != "is 3" ||
		groups[0].Options[3].Move != `"ask:is_3"` || groups[2].Options[0].Label != "pass" {
		t.Errorf("got %+v", groups)
	}
	if few := turn(`{}`, `"ask:a"`, `"guess:b"`).Groups(); len(few) != 1 || few[0].Options[0].Label != "ask:a" {
		t.Errorf("few: got %+v", few)
	}
}
