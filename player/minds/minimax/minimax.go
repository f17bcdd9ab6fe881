// Package minimax is a strategy that searches ahead: it tries its moves, the
// opponent's replies, and so on, and plays the move with the best guaranteed value.
//
//	view ─Resume─▶ position ─Fork, Apply─▶ … ─▶ outcome, or a depth at which it is unknown
//
// It plays all games with perfect information in which one seat moves at a time: see
// [game.Resumer].
package minimax

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"agentleague/game"
	"agentleague/player"
)

// Limits of the search depth and time.
const (
	deepest   = 64      // moves; more than any search gets to
	usual     = 30_000  // positions for a move, where no depth was asked for; Tic-Tac-Toe has fewer
	share     = 2       // the divisor of the remaining time
	remembers = 1 << 18 // positions
)

// New returns a strategy with a search depth in moves: "4" searches four moves ahead, its own included. An empty depth
// means no limit except 30,000 positions. In both cases a search takes at most half of the remaining time of a move.
// lookup returns the rules of a game.
func New(depth string, lookup func(gameType string) (game.Game, error)) (player.Strategy, error) {
	m := &mind{lookup: lookup, depth: deepest, most: usual}
	if depth = strings.TrimSpace(depth); depth != "" {
		n, err := strconv.Atoi(depth)
		if err != nil || n < 1 || n > deepest {
			return nil, fmt.Errorf("use a depth from 1 to %d, such as minimax:4, got %.64q", deepest, depth)
		}
		m.depth, m.most = n, math.MaxInt
	}
	m.table.seed = maphash.MakeSeed()
	return m, nil
}

// A mind searches one move at a time, and caches the values of positions.
type mind struct {
	lookup func(gameType string) (game.Game, error)
	depth  int
	most   int // positions for a move

	mu    sync.Mutex
	table table
}

// Choose searches from the position of a view.
func (m *mind) Choose(ctx context.Context, v game.View) (game.Move, error) {
	if len(v.Options) == 0 {
		return nil, errors.New("nothing may be played")
	}
	if len(v.Options) == 1 {
		return v.Options[0], nil
	}
	start, err := m.resume(ctx, v)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if due, bound := ctx.Deadline(); bound {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(due)/share)
		defer cancel()
	}
	s := search{ctx: ctx, table: &m.table, seat: start.ToMove()[0], most: m.most, root: v.Turn}
	return s.best(start, v.Options, m.depth)
}

// resume returns the position that a view shows.
func (m *mind) resume(ctx context.Context, v game.View) (game.Open, error) {
	match, _ := player.MatchOf(ctx)
	g, err := m.lookup(match.Game)
	if err != nil {
		return nil, err
	}
	rules, ok := g.(game.Resumer)
	if !ok {
		return nil, fmt.Errorf("minimax cannot look ahead in %s, where something is hidden or drawn", match.Game)
	}
	start, err := rules.Resume(v)
	if err != nil {
		return nil, err
	}
	if len(start.ToMove()) != 1 {
		return nil, fmt.Errorf("minimax cannot look ahead in %s, where players move at the same time", match.Game)
	}
	return start, nil
}
