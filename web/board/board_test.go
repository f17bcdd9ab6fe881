package board

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestBoardsLookLikeWhatTheyAre(t *testing.T) {
	t.Parallel()
	rows := func(n, width int, text string) string {
		row := `[` + strings.TrimSuffix(strings.Repeat(`"`+text+`",`, width), ",") + `]`
		return `{"board":[` + strings.TrimSuffix(strings.Repeat(row+",", n), ",") + `]`
	}
	for told, want := range map[string]string{
		rows(3, 3, "X") + `}`:     "squares n3 t1",
		rows(6, 7, "") + `}`:      "discs n7 t1",
		rows(4, 4, "apple") + `}`: "tiles n4 t8",
		`{"board":["B","W","Q",` + strings.TrimSuffix(strings.Repeat(`"",`, 22), ",") + `]}`: "squares n5 t1", // three kinds
		`{"board":["B","W","B",` + strings.TrimSuffix(strings.Repeat(`"",`, 22), ",") + `]}`: "discs n5 t1",
		rows(2, 9, "C") + `,"board_rows":["you","opponent"]}`:                                "sheet n10 t1",
		rows(2, 9, "rock") + `,"board_rows":["you","opponent"]}`:                             "sheet n3 t4", // from top to bottom
		rows(2, 40, "") + `}`: "squares n20 t1",
	} {
		b, ok := Read(json.RawMessage(told))
		if got := b.Grid().Class; !ok || got != want {
			t.Errorf("%.60s: got %q, want %q", told, got, want)
		}
	}
	for text, want := range map[string]string{
		"K +2": "good", "J -1": "poor", "Q 0": "plain", "yes": "good", "can_fly: no": "poor", "C": "good", "defect": "poor", "=": "level",
		"rock": "plain", "rock*": "good", "*": "plain", "": "plain", "5": "plain", "+": "plain", "-": "plain", "x hidden": "plain",
	} {
		if got := sheetLook(text); got != want {
			t.Errorf("%q in a sheet: got %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{`" onclick=`, "x hidden", "<b>", "won", "é"} {
		if got := markLook(text); len(got) != 2 || got[0] != 'm' {
			t.Errorf("%q on a board: got the class %q, want a colour", text, got)
		}
	}
}

// Empty steps of a score sheet are omitted, and marked ones stay marked.
func TestASheetOfWordsIsReadFromTopToBottom(t *testing.T) {
	t.Parallel()
	b, _ := Read(json.RawMessage(`{"board":[["rock","paper",""],["rock","scissors",""]],"board_rows":["you","opponent"],"board_columns":["1","2","3"],"line":[4]}`))
	g := b.Grid()
	if len(g.Rows) != 2 || g.Rows[1].Head != "2" || len(g.Heads) != 2 || g.Heads[1].Text != "opponent" {
		t.Fatalf("got %+v", g)
	}
	if c := g.Rows[1].Cells[1]; c.Text != "scissors" || !strings.Contains(c.Class, "won") {
		t.Errorf("got %+v", c)
	}
	long, _ := Read(json.RawMessage(`{"board":[` + row20 + `,` + row20 + `],"board_rows":["you","opponent"]}`))
	parts := long.Grid().Parts()
	if len(parts) != 3 || len(parts[2].Rows) != 2 || len(parts[2].Rows[1].Cells) != 4 || parts[2].Rows[1].Cells[3].Number != 39 ||
		parts[1].Rows[0].Head != "you" {
		t.Errorf("a long sheet comes in %d parts: %+v", len(parts), parts)
	}
	empty, _ := Read(json.RawMessage(`{"board":[["",""],["",""]],"board_rows":["you","opponent"]}`))
	if g := empty.Grid(); len(g.Rows) != 2 {
		t.Errorf("a sheet before the first step has %d rows", len(g.Rows))
	}
}

var row20 = `[` + strings.TrimSuffix(strings.Repeat(`"C",`, 20), ",") + `]`

func TestBoardsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, context := range []string{
		``, `null`, `{}`, `[]`, `{"board":[]}`, `{"board":["X","O"]}`, `{"board":"X"}`, `{"board":[1,2,3,4]}`,
		`{"board":` + strings.Repeat("[", 50),
	} {
		if b, ok := Read(json.RawMessage(context)); ok {
			t.Errorf("%s: got %+v", context, b)
		}
	}
	if b, ok := Read(json.RawMessage(`{"board":["","X","",""],"line":[-1,3,9]}`)); !ok || b.Width != 2 ||
		fmt.Sprint(b.Line) != "[3]" {
		t.Errorf("got %+v, %v", b, ok)
	}
}

// A game's view is shown in readable form, and never as JSON.
func TestASeatSeesTheGame(t *testing.T) {
	t.Parallel()
	for context, want := range map[string]string{
		`{"opponent_id":"P02","round_id":3,"your_standings":{"wins":2,"losses":1,"draws":0}}`: "round: 3; your standings: wins 2, losses 1, draws 0",
		`{"board":["X","","","O"],"mark":"X","your_move":true}`:                               "your move: yes",
		`{"hand":["7♥","K♠"],"pot":7.5,"auth_token":"tok_x","note":null}`:                     "hand: 7♥, K♠; pot: 7.5",
		`{"field":[["a",1],["",2]]}`:                                                          "field: a 1 / 2",
		`{}`:                                                                                  "", `null`: "", `"fen 8/8"`: "position: fen 8/8", `[1,2]`: "position: 1, 2",
	} {
		var got []string
		for _, f := range Besides(json.RawMessage(context)) {
			text := f.Value
			for i, row := range f.Grid {
				if i > 0 {
					text += " / "
				}
				text += strings.TrimSpace(strings.Join(row, " "))
			}
			got = append(got, f.Name+": "+text)
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: got %q, want %q", context, strings.Join(got, "; "), want)
		}
	}
}

// The sides in facts are replaced by the names of the players, also where a side has nothing.
func TestFactsNameThePlayers(t *testing.T) {
	t.Parallel()
	names := map[string]string{"you": "Ada", "opponent": "Bob"}
	for value, want := range map[string]string{
		"you 1, opponent 0": "Ada: 1, Bob: 0", "you": "Ada", "opponent, you": "Bob: –, Ada: –", "your turn": "your turn", "first 1": "first 1",
	} {
		if got := Named([]Fact{{Name: "pairs", Value: value}}, names)[0].Value; got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
}
