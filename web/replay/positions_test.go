package replay

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// lineAsked, lineAnswered and lineEnded are lines of a timeline.
func lineAsked(player string, turn int, context string) Message {
	return Message{Type: "GAME_MOVE_CALL", From: "REF01", To: player,
		Body: json.RawMessage(fmt.Sprintf(`{"turn":%d,"move_request":{"context":%s}}`, turn, context))}
}

func lineAnswered(player, choice string) Message {
	return Message{Type: "GAME_MOVE_RESPONSE", From: player, To: "REF01",
		Body: json.RawMessage(fmt.Sprintf(`{"move_data":{"choice":%s}}`, choice))}
}

func lineEnded(player, details string) Message {
	return Message{Type: "GAME_OVER", From: "REF01", To: player,
		Body: json.RawMessage(fmt.Sprintf(`{"game_result":{"details":%s}}`, details))}
}

var ada, bob = Name{"P01", "Ada"}, Name{"P02", "Bob"}

// In a match with different views, every position has the view of each player, with names in place of seats; other
// messages, such as retries, change no position.
func TestPositionsHaveWhatEachPlayerSaw(t *testing.T) {
	t.Parallel()
	sheet := func(mine, theirs string) string {
		return `{"board":[["` + mine + `"],["` + theirs + `"]],"board_rows":["you","opponent"],"card":"` + mine + `"}`
	}
	lines := []Message{
		lineAsked("P01", 0, sheet("K", "?")), lineAnswered("P01", `"peek"`), lineAsked("P01", 0, sheet("K", "?")), lineAsked("P02", 0, sheet("J", "?")),
		lineAnswered("P02", `"fold"`), lineAnswered("P01", `"bet"`),
		lineEnded("P01", `{"board":[["K"],["J"]],"board_rows":["first","second"]}`),
		lineEnded("P02", `{"board":[["K"],["J"]],"board_rows":["first","second"]}`),
	}
	got, at := Positions(lines, ada, bob)
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
	if want := []int{0, 0, 0, 0, 0, 0, 1, 1}; !slices.Equal(at, want) {
		t.Errorf("the lines belong to the positions %v, want %v", at, want)
	}
}

// A match with more positions than a page can show has some of them, the first and the last among them.
func TestTooManyPositionsAreThinnedOut(t *testing.T) {
	t.Parallel()
	row := `[` + strings.TrimSuffix(strings.Repeat(`"x",`, 500), ",") + `]`
	var lines []Message
	for turn := range 200 {
		lines = append(lines, lineAsked("P01", turn, `{"board":[`+row+`],"turn":`+fmt.Sprint(turn)+`}`))
	}
	got, at := Positions(lines, ada, bob)
	if cells := 500 * len(got); cells > boardsMost+1000 || cells < boardsMost/2 {
		t.Errorf("%d positions are left, of %d cells", len(got), cells)
	}
	if got[0].Turn != 0 || got[len(got)-1].Turn != 199 || at[199] != len(got)-1 || at[1] != 0 {
		t.Errorf("from %d to %d; line 1 is at %d, line 199 at %d of %d", got[0].Turn, got[len(got)-1].Turn, at[1],
			at[199], len(got))
	}
}
