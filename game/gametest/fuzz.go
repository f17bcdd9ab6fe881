package gametest

import (
	"encoding/json"
	"fmt"
	"testing"

	"agentleague/game"
)

// Fuzz feeds arbitrary bytes as a move of any seat to positions of g: Check must neither panic nor change the state,
// must refuse invalid JSON, and must agree with Apply.
func Fuzz(f *testing.F, g game.Game) {
	for i, m := range nonsense {
		f.Add(i, i%3, i%2, []byte(m))
	}
	for _, v := range mustStart(f, g).views() {
		for i, m := range v.Options {
			f.Add(i, 0, int(v.Seat), []byte(m))
		}
	}
	f.Fuzz(func(t *testing.T, seed, turns, seat int, move []byte) {
		if err := checkBytes(g, seed&0xffff, turns&0xff, game.Seat(seat), move); err != nil {
			t.Error(err)
		}
	})
}

// mustStart returns the opening position of g's first match.
func mustStart(tb testing.TB, g game.Game) position {
	tb.Helper()
	p, err := start(g, 0)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// checkBytes tries m as a move of seat, after some turns of the match with that seed.
func checkBytes(g game.Game, seed, turns int, seat game.Seat, m game.Move) error {
	p, err := advance(g, seed, turns)
	if err != nil {
		return err
	}
	before, err := p.snapshot()
	if err != nil {
		return err
	}
	legal := p.state.Check(seat, m) == nil
	if legal && !json.Valid(m) {
		return fmt.Errorf("seat %d: %.64q is legal, want JSON only", seat, m)
	}
	if after, _ := p.snapshot(); after != before {
		return fmt.Errorf("seat %d: Check of %.64q changed the state: got %s, want %s", seat, m, after, before)
	}
	return checkApply(p, seat, m, legal)
}

// checkApply requires that Apply accepts m, together with legal moves of the other seats, exactly if m is legal, and
// changes nothing otherwise.
func checkApply(p position, seat game.Seat, m game.Move, legal bool) error {
	before, _ := p.snapshot()
	moves := p.someMoves()
	moves[seat] = m
	if err := p.state.Apply(moves); (err == nil) != legal {
		return fmt.Errorf("seat %d: %.64q: Check says legal is %v, Apply says %v", seat, m, legal, err)
	}
	if after, _ := p.snapshot(); !legal && after != before {
		return fmt.Errorf("seat %d: refused %.64q changed the state: got %s, want %s", seat, m, after, before)
	}
	return nil
}

// advance returns the match of a seed after the given number of turns, or at its end if that comes first.
func advance(g game.Game, seed, turns int) (position, error) {
	p, err := start(g, seed)
	if err != nil {
		return p, err
	}
	choose := randomMoves(seed)
	for ; p.turn < turns && len(p.state.ToMove()) > 0; p.turn++ {
		if err := p.apply(choose(p)); err != nil {
			return p, fmt.Errorf("turn %d: %w", p.turn, err)
		}
	}
	return p, nil
}
