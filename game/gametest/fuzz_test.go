package gametest

import (
	"errors"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/evenodd"
	"agentleague/game/tictactoe"
)

func TestFuzzingFindsWhatIsBroken(t *testing.T) {
	tests := []struct {
		want   string
		move   string
		turns  int
		broken func(s *brokenState)
	}{
		{"is legal, want JSON only", "nonsense", 0, func(s *brokenState) {
			s.check = func(game.Seat, game.Move) error { return nil }
		}},
		{"Check says legal is true, Apply says", "99", 0, func(s *brokenState) {
			s.check = func(game.Seat, game.Move) error { return nil }
		}},
		{"Check says legal is false, Apply says <nil>", "99", 0, func(s *brokenState) {
			s.apply = func(map[game.Seat]game.Move) error { return nil }
		}},
		{"Check of \"99\" changed the state", "99", 0, func(s *brokenState) {
			s.check = func(seat game.Seat, m game.Move) error {
				return s.State.Apply(map[game.Seat]game.Move{0: game.Move("0")})
			}
		}},
		{"refused \"99\" changed the state", "99", 0, func(s *brokenState) {
			s.apply = func(moves map[game.Seat]game.Move) error {
				return errors.Join(s.State.Apply(moves), s.State.Apply(map[game.Seat]game.Move{0: game.Move("0")}))
			}
		}},
		{"is not JSON", "99", 0, func(s *brokenState) {
			s.view = func(v game.View) game.View { v.Context = []byte("{"); return v }
		}},
		{"turn 0: legal moves are refused: no", "99", 1, func(s *brokenState) {
			s.apply = func(map[game.Seat]game.Move) error { return errors.New("no") }
		}},
	}
	for _, tt := range tests {
		err := checkBytes(states(tictactoe.Game{}, tt.broken), 0, tt.turns, 0, game.Move(tt.move))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got error %v, want %q", err, tt.want)
		}
	}
}

func TestFuzzingFindsAMatchThatCannotStart(t *testing.T) {
	never := brokenGame{Game: evenodd.Game{}, start: func(int) error { return errors.New("no table") }}
	if err := checkBytes(never, 0, 0, 0, nil); err == nil || !strings.Contains(err.Error(), "no table") {
		t.Errorf("got error %v, want %q", err, "no table")
	}
}

func TestGoodGameWithstandsMovesInEveryPosition(t *testing.T) {
	for turns := range 12 {
		for _, m := range []string{"0", "4", "8", "null"} {
			for seat := game.Seat(-1); seat < 3; seat++ {
				if err := checkBytes(tictactoe.Game{}, turns, turns, seat, game.Move(m)); err != nil {
					t.Errorf("move %s of seat %d after %d turns: %v", m, seat, turns, err)
				}
			}
		}
	}
}
