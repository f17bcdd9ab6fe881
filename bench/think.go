package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"agentleague/protocol"
)

// Thinking is a round of players that each take their time: they must not wait for each other.
type Thinking struct {
	Players  int     `json:"players"`
	ThinkSec float64 `json:"think_sec"` // each of them, before it chooses
	Matches  int     `json:"matches"`
	RoundSec float64 `json:"round_sec"` // from the order to start to the last result
}

// thinkingRound plays one round of o.Thinkers players, all matches of it at once.
func thinkingRound(ctx context.Context, o Options) (*Thinking, error) {
	root := filepath.Join(o.Folder, "thinking")
	a, err := openArena(ctx, o.Program, setup{root: root, players: o.Thinkers, inFlight: o.Thinkers / 2, think: o.Think})
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	defer a.close()
	began := time.Now()
	if err := a.order(ctx, protocol.TypeStartLeague); err != nil {
		return nil, err
	}
	took := 0.
	if err := a.until(ctx, 50*time.Millisecond, func(now [3]usage) bool {
		took = time.Since(began).Seconds()
		return now[manager].results >= float64(a.round)
	}); err != nil {
		return nil, fmt.Errorf("a round of %d players that think for %s: %w", o.Thinkers, o.Think, err)
	}
	return &Thinking{Players: o.Thinkers, ThinkSec: o.Think.Seconds(), Matches: a.round, RoundSec: took}, nil
}
