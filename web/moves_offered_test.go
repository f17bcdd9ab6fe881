package web

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"agentleague/web/board"
)

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
