// Package predict has strategies for games with simultaneous moves: they predict
// the opponent's next move from its earlier ones, and play the best reply.
//
//	the opponent's moves ─▶ its next move ─▶ the best reply, which follows from the rules
//
// If no reply is better than another, as in Even/Odd, they play at random.
package predict

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"

	"agentleague/game"
	"agentleague/player"
)

// A Predictor predicts a player's next move from its earlier moves, the oldest
// first. It returns false if it has no prediction.
type Predictor func(before []string) (next string, ok bool)

// Options are the options of a strategy.
type Options struct {
	Lookup func(gameType string) (game.Game, error) // finds the rules of the game that is played
	Chance *rand.Rand                               // used without a prediction; nil: the machine's own
}

// New returns a strategy that plays the best reply to the move that p predicts.
func New(p Predictor, o Options) player.Strategy {
	return &mind{predict: p, lookup: o.Lookup, guess: player.Random(o.Chance), replies: map[string]replies{}}
}

// A mind predicts the opponent's next move and plays the best reply. Replies are computed once per game and cached.
type mind struct {
	predict Predictor
	lookup  func(gameType string) (game.Game, error)
	guess   player.Strategy

	mu      sync.Mutex
	replies map[string]replies // by game
}

// Choose returns the best reply to the predicted move, or a random move if there is no prediction or no best reply.
func (m *mind) Choose(ctx context.Context, v game.View) (game.Move, error) {
	if len(v.Options) == 0 {
		return nil, errors.New("nothing may be played")
	}
	match, _ := player.MatchOf(ctx)
	best, err := m.repliesIn(match.Game)
	if err != nil {
		return nil, err
	}
	if len(best) == 0 {
		return m.guess.Choose(ctx, v)
	}
	expected, ok := m.predict(movesOf(ctx, match.Opponent, v))
	if !ok {
		return m.guess.Choose(ctx, v)
	}
	reply := best[expected]
	i := slices.IndexFunc(v.Options, func(o game.Move) bool { return player.Written(o) == reply })
	if i < 0 {
		return m.guess.Choose(ctx, v)
	}
	return v.Options[i], nil
}

// repliesIn returns the best reply to each move of a game, from the cache if possible.
func (m *mind) repliesIn(gameType string) (replies, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known, ok := m.replies[gameType]; ok {
		return known, nil
	}
	g, err := m.lookup(gameType)
	if err != nil {
		return nil, err
	}
	found := repliesOf(g)
	m.replies[gameType] = found
	return found, nil
}
