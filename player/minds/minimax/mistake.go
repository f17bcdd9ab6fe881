package minimax

import (
	"context"
	"hash/maphash"
	"math"

	"agentleague/game"
)

// Mistake finds the move that lost a match for a seat: the first after which the opponent can force a win within depth
// moves, although it could not after another legal move. from is the start of the match. It returns the index in moves,
// and false if there is no such move.
func Mistake(ctx context.Context, from game.Open, moves []game.Move, seat game.Seat, depth int) (at int, found bool, err error) {
	t := &table{seed: maphash.MakeSeed(), known: map[uint64]entry{}}
	lost := func(p game.Open, turn int) (bool, error) {
		s := search{ctx: ctx, table: t, seat: seat, most: math.MaxInt, root: turn}
		value, err := s.value(p, 0, depth, math.MinInt, math.MaxInt)
		return !s.stopped && value < -won/2, err
	}
	for i, move := range moves {
		mover := from.ToMove()[0]
		next, err := after(from, mover, move)
		if err != nil {
			return 0, false, err
		}
		if mover == seat {
			was, err := lost(from, i)
			if err != nil {
				return 0, false, err
			}
			is, err := lost(next, i+1)
			if err != nil || is && !was {
				return i, err == nil, err
			}
		}
		from = next
	}
	return 0, false, nil
}
