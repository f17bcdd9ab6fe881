package player

import (
	"encoding/json"
	"testing"

	"agentleague/protocol"
)

// Alpha is P01 and plays against Beta, who is P02.
func TestWinnerIsKnownByIDNameOrPlace(t *testing.T) {
	alpha := pairNames{id: "P01", name: "Alpha", opponent: "P02", rival: "Beta", seat: "PLAYER_A"}
	alone := pairNames{id: "P01", name: "Alpha"} // nothing is known of the opponent
	twins := pairNames{id: "P01", name: "Bot", opponent: "P02", rival: "Bot"}
	for _, c := range []struct {
		name, over string
		me         pairNames
		want       string
	}{
		{"own id", `{"game_result":{"winner_player_id":"P01"}}`, alone, "WIN"},
		{"own id as a sender", `{"game_result":{"winner_player_id":"player:P01"}}`, alone, "WIN"},
		{"own name", `{"game_result":{"winner_player_id":"Alpha"}}`, alone, "WIN"},
		{"own name in other letters", `{"game_result":{"winner_player_id":"ALPHA "}}`, alone, "WIN"},
		{"the opponent's id", `{"game_result":{"winner_player_id":"P02"}}`, alpha, "LOSS"},
		{"the opponent's name", `{"game_result":{"winner_player_id":"beta"}}`, alpha, "LOSS"},
		{"own place", `{"game_result":{"winner_player_id":"PLAYER_A"}}`, alpha, "WIN"},
		{"own place in other letters", `{"game_result":{"winner_player_id":"player_a"}}`, alpha, "WIN"},
		{"the other place", `{"game_result":{"winner_player_id":"player2"}}`, alpha, "LOSS"},
		{"a place that was not told", `{"game_result":{"winner_player_id":"PLAYER_A"}}`, alone, ""},
		{"a name that nobody has told", `{"game_result":{"winner_player_id":"Gamma"}}`, alone, ""},
		{"a name that both have", `{"game_result":{"winner_player_id":"Bot"}}`, twins, ""},
		{"a name that both have, and figures", `{"game_result":{"winner_player_id":"Bot","drawn_number":4,
			"choices":{"P01":"even","P02":"odd"}}}`, twins, "WIN"},
		{"a strange name, and figures", `{"game_result":{"winner_player_id":"Gamma","number_parity":"odd",
			"choices":{"Alpha":"even","Gamma":"odd"}}}`, alone, "LOSS"},
		{"a strange name, and points", `{"game_result":{"winner_player_id":"Gamma","score":{"Alpha":3,"X":0}}}`, alone, "WIN"},
		{"a place against the figures", `{"game_result":{"winner_player_id":"PLAYER_A","drawn_number":4,
			"choices":{"P01":"odd","P02":"even"}}}`, alpha, "LOSS"},
		{"a word for a draw", `{"game_result":{"winner_player_id":"draw"}}`, alpha, "DRAW"},
		{"nobody, and a status", `{"game_result":{"winner_player_id":null,"status":"DRAW"}}`, alpha, "DRAW"},
		{"nobody, and the same choices", `{"game_result":{"winner_player_id":null,"choices":{"P01":"odd","P02":"odd"}}}`,
			alpha, "DRAW"},
		{"nobody, and nothing else", `{"game_result":{"winner_player_id":null}}`, alpha, ""},
		{"nobody, and a win", `{"game_result":{"winner_player_id":null,"status":"WIN"}}`, alpha, ""},
		{"a technical loss", `{"game_result":{"winner_player_id":"P02","status":"TECHNICAL_LOSS"}}`, alpha, "TECHNICAL_LOSS"},
		{"the opponent's technical loss", `{"game_result":{"winner_player_id":"Alpha","status":"TECHNICAL_LOSS"}}`, alpha, "WIN"},
		{"a technical loss of both", `{"game_result":{"winner_player_id":null,"status":"TECHNICAL_LOSS"}}`, alpha, "TECHNICAL_LOSS"},
		{"a sentence about it", `{"game_result":{"winner_player_id":"P01 wins!"}}`, alpha, "WIN"},
		{"a sentence about the opponent", `{"game_result":{"winner_player_id":"the winner is P02."}}`, alpha, "LOSS"},
		{"a sentence about both", `{"game_result":{"winner_player_id":"P01 beats P02"}}`, alpha, ""},
		{"a word of its own", `{"result":"won","game_result":{"winner_player_id":"Gamma"}}`, alone, "WIN"},
	} {
		var over protocol.GameOver
		if err := json.Unmarshal([]byte(c.over), &over); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := c.me.resultFor(&over); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestUnknownResultIsNoLoss(t *testing.T) {
	if s := protocol.StatsOf([]protocol.PlayerMatch{{Result: unknown}, {Result: protocol.Win}}); s.Losses != 0 || s.Wins != 1 {
		t.Errorf("got %+v, want one win and no loss", s)
	}
}

func TestPointsThatAreNotToldFollowFromTheResult(t *testing.T) {
	alpha := pairNames{id: "P01", name: "Alpha", opponent: "P02"}
	ours := alpha
	ours.scored = true
	for _, c := range []struct {
		name, over string
		me         pairNames
		want       int
	}{
		{"told", `{"points_earned":7,"game_result":{"winner_player_id":"P01"}}`, alpha, 7},
		{"a win without points", `{"game_result":{"winner_player_id":"P01"}}`, alpha, 3},
		{"a draw without points", `{"game_result":{"winner_player_id":null,"status":"DRAW"}}`, alpha, 1},
		{"a loss without points", `{"game_result":{"winner_player_id":"P02"}}`, alpha, 0},
		{"a win with a score", `{"game_result":{"winner_player_id":"P01","score":{"P01":2,"P02":0}}}`, alpha, 2},
		{"a win that our league gives no points for", `{"game_result":{"winner_player_id":"P01"}}`, ours, 0},
	} {
		var over protocol.GameOver
		if err := json.Unmarshal([]byte(c.over), &over); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := c.me.pointsFor(&over); got != c.want {
			t.Errorf("%s: got %d points, want %d", c.name, got, c.want)
		}
	}
}

// The referee has found P01 at the port of P07.
func TestPlayerThatIsTakenForAnotherKnowsItsResult(t *testing.T) {
	for _, c := range []struct{ over, want string }{
		{`{"game_result":{"winner_player_id":"P07","choices":{"P07":"even","P02":"odd"}}}`, "WIN"},
		{`{"game_result":{"winner_player_id":"P02","choices":{"P07":"even","P02":"odd"}}}`, "LOSS"},
		{`{"game_result":{"winner_player_id":"P07","choices":{"P07":"even","P08":"odd"}}}`, ""},
	} {
		var over protocol.GameOver
		if err := json.Unmarshal([]byte(c.over), &over); err != nil {
			t.Fatal(err)
		}
		me := pairNames{id: "P01", name: "Alpha", opponent: "P02"}.calledIn(&over)
		if got := me.resultFor(&over); got != c.want {
			t.Errorf("%s: got %q, want %q", c.over, got, c.want)
		}
	}
}
