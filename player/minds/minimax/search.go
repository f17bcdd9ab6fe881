package minimax

import (
	"context"
	"math"
	"slices"

	"agentleague/game"
)

// won is the value of an immediate end with the best score. It is reduced by one for each move until the end, so that
// an early win is preferred.
const won = 1 << 20

// A search is one search from a position, for the seat to move.
type search struct {
	ctx     context.Context // ends when there is no time left
	table   *table
	seat    game.Seat // the maximizing seat; all others minimize
	nodes   int       // visited positions
	most    int       // the maximum
	root    int       // the turn that it starts from
	stopped bool      // time or nodes ran out: the last result is invalid
	whole   bool      // nothing was cut off by the depth
}

// best returns the best of moves by iterative deepening. It stops when the depth is reached, all lines are searched to
// their end, or the time is used up.
func (s *search) best(from game.Open, moves []game.Move, depth int) (game.Move, error) {
	order := fromTheMiddle(len(moves))
	for ahead := 1; ahead <= depth; ahead++ {
		s.whole = true
		values, err := s.values(from, moves, order, ahead)
		if err != nil {
			return nil, err
		}
		if s.stopped {
			break
		}
		slices.SortStableFunc(order, func(a, b int) int { return values[b] - values[a] })
		if s.whole || values[order[0]] > won/2 {
			break
		}
	}
	return moves[order[0]], nil
}

// values returns the values of the moves, searched in the given order. The value of a move that is not better than an
// earlier one is only an upper bound.
func (s *search) values(from game.Open, moves []game.Move, order []int, ahead int) ([]int, error) {
	values, alpha := make([]int, len(moves)), math.MinInt
	for _, i := range order {
		next, err := after(from, s.seat, moves[i])
		if err != nil {
			return nil, err
		}
		value, err := s.value(next, 1, ahead-1, alpha, math.MaxInt)
		if err != nil || s.stopped {
			return nil, err
		}
		if values[i] = value; value > alpha {
			alpha = value
		} else {
			values[i] = min(value, alpha-1) // it may be worse still
		}
	}
	return values, nil
}

// value returns the value of a later position for the seat. It is exact only between alpha and beta; otherwise it is a
// bound.
func (s *search) value(p game.Open, moves, ahead, alpha, beta int) (int, error) {
	if s.nodes++; s.nodes > s.most || s.nodes%64 == 0 && s.ctx.Err() != nil {
		s.stopped = true
	}
	if s.stopped {
		return 0, nil
	}
	if o, over := p.Outcome(); over {
		return s.worth(o, s.root+moves), nil
	}
	if ahead == 0 {
		s.whole = false
		return 0, nil
	}
	mover := p.ToMove()[0]
	view := p.View(mover)
	key := s.table.key(s.seat, mover, s.root+moves, view.Context)
	if value, ok := s.table.find(key, ahead, alpha, beta); ok {
		s.whole = s.whole && s.table.known[key].depth == deepest
		return value, nil
	}
	before := s.whole
	s.whole = true
	value, err := s.lines(p, view, moves, ahead, alpha, beta)
	if err == nil && !s.stopped {
		s.table.keep(key, value, ahead, s.whole, alpha, beta)
	}
	s.whole = s.whole && before
	return value, err
}

// lines returns the value of the best move if the seat is to move, and of the worst otherwise.
func (s *search) lines(p game.Open, v game.View, moves, ahead, alpha, beta int) (int, error) {
	own := v.Seat == s.seat
	found := math.MaxInt
	if own {
		found = math.MinInt
	}
	for _, i := range fromTheMiddle(len(v.Options)) {
		next, err := after(p, v.Seat, v.Options[i])
		if err != nil {
			return 0, err
		}
		value, err := s.value(next, moves+1, ahead-1, alpha, beta)
		if err != nil || s.stopped {
			return 0, err
		}
		if own {
			found = max(found, value)
			alpha = max(alpha, found)
		} else {
			found = min(found, value)
			beta = min(beta, found)
		}
		if alpha >= beta {
			break
		}
	}
	return found, nil
}

// worth returns the value of an outcome for the seat.
func (s *search) worth(o game.Outcome, turn int) int {
	switch winner, decided := o.Winner(); {
	case !decided:
		return 0
	case winner == s.seat:
		return won - turn
	}
	return turn - won
}

// after is the position after one more move.
func after(p game.Open, mover game.Seat, m game.Move) (game.Open, error) {
	next := p.Fork()
	return next, next.Apply(map[game.Seat]game.Move{mover: m})
}

// fromTheMiddle returns the indices 0 to n-1, starting in the middle: on most boards the centre is better, and trying
// good moves first prunes more.
func fromTheMiddle(n int) []int {
	out, middle := make([]int, n), (n-1)/2
	for i := range out {
		if out[i] = middle - i/2; i%2 == 1 {
			out[i] = middle + (i+1)/2
		}
	}
	return out
}
