package minimax

import (
	"encoding/json"
	"fmt"
	"testing"

	"agentleague/game"
	"agentleague/game/draw"
	"agentleague/game/tictactoe"
)

// The move that lost is the first after which nothing helps, not the last that was made.
func TestMistakeIsTheMoveThatLost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		moves string // the second seat loses
		want  int
	}{
		{"0 1 3 2 6", 1},      // after the edge the corner wins by force
		{"4 0 8 2 1 7 6", -1}, // drawn
		{"0 4 8 2 6 3 7", 3},  // of the corners, the side would have held
	} {
		state, err := tictactoe.Game{}.Start(2, draw.New(nil))
		if err != nil {
			t.Fatal(err)
		}
		var moves []game.Move
		var cells []int
		for _, cell := range []byte(c.moves) {
			if cell != ' ' {
				moves, cells = append(moves, json.RawMessage(fmt.Sprint(int(cell-'0')))), append(cells, int(cell-'0'))
			}
		}
		at, found, err := Mistake(t.Context(), state.(game.Open), moves, 1, 9)
		if err != nil || found != (c.want >= 0) || found && at != c.want {
			t.Errorf("%v: move %d, %v, %v; want %d", cells, at, found, err, c.want)
		}
	}
}
