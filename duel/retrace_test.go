package duel

import (
	"encoding/json"
	"strings"
	"testing"

	"agentleague/game/connectfour"
	"agentleague/protocol"
)

// won is a match that the first player wins in column 3, because the second one never answers there.
func won() *protocol.MatchRecord {
	winner := "P01"
	rec := &protocol.MatchRecord{PlayerAID: "P01", PlayerBID: "P02", Result: protocol.GameResult{Status: protocol.Win, WinnerPlayerID: &winner}}
	for turn, column := range []string{"3", "0", "3", "1", "3", "5", "3"} {
		rec.Moves = append(rec.Moves, protocol.PlayedMove{Turn: turn, PlayerID: []string{"P01", "P02"}[turn%2], Move: json.RawMessage(column)})
	}
	return rec
}

// The positions of a match follow from its moves; the last one has the line that won.
func TestAMatchIsRetracedFromItsMoves(t *testing.T) {
	t.Parallel()
	views, err := Retrace(connectfour.Game{}, won())
	if err != nil || len(views) != 8 {
		t.Fatalf("got %d views, %v", len(views), err)
	}
	if n := strings.Count(string(views[3]), `"X"`); n != 2 {
		t.Errorf("after three moves X is there %d times: %s", n, views[3])
	}
	if !strings.Contains(string(views[7]), `"line"`) {
		t.Errorf("the end has no line: %s", views[7])
	}
	wrong := won()
	wrong.Moves[1].PlayerID = "P01"
	if _, err := Retrace(connectfour.Game{}, wrong); err == nil {
		t.Error("a move of the wrong player was made")
	}
}

// The losing move is the last one that another move could have replaced.
func TestTheLosingMoveOfAMatchIsFound(t *testing.T) {
	t.Parallel()
	turn, found, err := Mistake(t.Context(), connectfour.Game{}, won())
	if err != nil || !found || turn%2 != 1 {
		t.Errorf("got turn %d, %v, %v, want a move of the second player", turn, found, err)
	}
	drawn := won()
	drawn.Result.Status = protocol.Draw
	if _, found, err = Mistake(t.Context(), connectfour.Game{}, drawn); found || err != nil {
		t.Errorf("a draw has a losing move: %v, %v", found, err)
	}
}
